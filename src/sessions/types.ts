import { builder } from '../graphql/builder.js';
import type { SessionRow } from './store.js';

export const SessionRef = builder.objectRef<SessionRow>('Session');
