import { artifactFromPayload, deliveredOutputFromPayload } from '../artifacts/nodes.js';
import { ArtifactRef, DeliveredOutputRef } from '../artifacts/types.js';
import { builder } from '../graphql/builder.js';
import { ActivityStatusRef, AgentErrorCodeRef } from './enums.js';
import { eventType } from './occurrence.js';

const activity = eventType('activity');
export const ActivityEventRef = activity.ref;

builder.node(ActivityEventRef, {
  ...activity.node,
  description: 'A step of the work. It comes again, with the same activityId, when it is done or has failed.',
  fields: (t) => ({
    activityId: t.exposeID('activityId', { description: 'Names the step within the session.' }),
    status: t.expose('status', { type: ActivityStatusRef, description: 'How far it was at this event.' }),
    title: t.exposeString('title', { description: 'What is done, for people to read.' }),
    summary: t.exposeString('summary', { nullable: true, description: 'What came of it, if it says.' }),
  }),
});

const artifactsDelivered = eventType('artifacts_delivered');
export const ArtifactsDeliveredEventRef = artifactsDelivered.ref;

builder.node(ArtifactsDeliveredEventRef, {
  ...artifactsDelivered.node,
  description: 'Files that were produced or delivered.',
  fields: (t) => ({
    artifacts: t.field({
      type: [ArtifactRef],
      description: 'As this event gave them; may be empty.',
      resolve: ({ sessionId, number, artifacts }) =>
        artifacts.map((artifact) => artifactFromPayload(sessionId, number, artifact)),
    }),
  }),
});

const deliveredOutputs = eventType('delivered_outputs');
export const DeliveredOutputsEventRef = deliveredOutputs.ref;

builder.node(DeliveredOutputsEventRef, {
  ...deliveredOutputs.node,
  description: 'Tables, texts, presentations or figures that were delivered.',
  fields: (t) => ({
    deliveredOutputs: t.field({
      type: [DeliveredOutputRef],
      description: 'As this event gave them; may be empty.',
      resolve: ({ sessionId, number, deliveredOutputs }) =>
        deliveredOutputs.map((output) => deliveredOutputFromPayload(sessionId, number, output)),
    }),
  }),
});

const error = eventType('error');
export const ErrorEventRef = error.ref;

builder.node(ErrorEventRef, {
  ...error.node,
  description: 'A run failed.',
  fields: (t) => ({
    code: t.expose('code', { type: AgentErrorCodeRef, description: 'What went wrong, for programs.' }),
    message: t.exposeString('message', { description: 'What went wrong, for people to read.' }),
    retryable: t.exposeBoolean('retryable', { description: 'Whether the same request may work later.' }),
  }),
});

const unknown = eventType('unknown');
export const UnknownEventRef = unknown.ref;

builder.node(UnknownEventRef, {
  ...unknown.node,
  description: 'An event of a kind that this version does not know, or one that it cannot read.',
  fields: (t) => ({
    rawKind: t.exposeString('rawKind', { description: 'The kind as it is stored.' }),
    payload: t.expose('payload', {
      type: 'JSON',
      nullable: true,
      description: 'Its content as it is stored; null when it cannot be read.',
    }),
  }),
});

const sessionIdle = eventType('session_idle');
export const SessionIdleEventRef = sessionIdle.ref;

builder.node(SessionIdleEventRef, {
  ...sessionIdle.node,
  description: 'The run is over and the agent ready for the next request.',
});

const sessionPaused = eventType('session_paused');
export const SessionPausedEventRef = sessionPaused.ref;

builder.node(SessionPausedEventRef, {
  ...sessionPaused.node,
  description: 'Paused until there is quota again.',
});

const sessionResumed = eventType('session_resumed');
export const SessionResumedEventRef = sessionResumed.ref;

builder.node(SessionResumedEventRef, {
  ...sessionResumed.node,
  description: 'Goes on after a pause or a break.',
});

const stopRequested = eventType('stop_requested');
export const StopRequestedEventRef = stopRequested.ref;

builder.node(StopRequestedEventRef, {
  ...stopRequested.node,
  description: 'Somebody asked the agent to stop.',
});

const sessionStopped = eventType('session_stopped');
export const SessionStoppedEventRef = sessionStopped.ref;

builder.node(SessionStoppedEventRef, {
  ...sessionStopped.node,
  description: 'The agent stopped, as asked.',
});
