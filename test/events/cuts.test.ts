import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerQuestion } from '../../src/events/answer-question.js';
import { appendEvents } from '../../src/events/append.js';
import { eventListing } from '../../src/events/listing.js';
import { answerOf, eventById, eventByNumber, replyTo } from '../../src/events/loaders.js';
import { connection } from '../../src/graphql/connections.js';
import { requireSession } from '../../src/sessions/loaders.js';
import { message, openSeeded, type Seeded } from '../citations/seed.js';
import { openTestDatabase } from '../database.js';

let seeded: Seeded;
beforeAll(async () => {
  seeded = await openSeeded(await openTestDatabase());
});
afterAll(() => seeded.close());

describe('one operation', () => {
  it('shows nothing of a session beyond the end that it read first', async () => {
    const sessionId = await seeded.newSession();
    const first = message([], { eventId: 'e1' });
    const methods = {
      kind: 'methods' as const,
      eventId: 'e2',
      messageId: 'm1',
      approach: '',
      sections: [],
      keyJudgments: [],
      searches: [],
      artifacts: [],
    };
    const question = {
      kind: 'question' as const,
      eventId: 'e3',
      questionId: 'q1',
      text: '?',
      responseFormat: 'TEXT' as const,
    };
    await seeded.append(sessionId, first, methods, question);

    const early = seeded.as('owner');
    const session = await requireSession(early, sessionId);
    await seeded.append(sessionId, message([], { eventId: 'e4' }));
    await answerQuestion(seeded.as('owner'), {
      sessionId,
      questionId: 'q1',
      answers: [{ questionId: 'q1', text: 'x' }],
    });

    const read = async (operation: typeof early) => {
      const load = async (value: string) => {
        const event = await eventByNumber(operation).load({ sessionId, value });
        return event?.eventId;
      };
      const [asked, described] = [
        await eventById(operation).load({ sessionId, value: 'e3' }),
        await eventById(operation).load({ sessionId, value: 'e2' }),
      ];
      if (asked?.kind !== 'question' || described?.kind !== 'methods')
        throw new Error('Not what was appended.');
      const page = connection(
        eventListing(operation, await requireSession(operation, sessionId), undefined),
        {},
      );
      return {
        page: (await page.edges).length,
        total: await page.totalCount,
        byNumber: await load('4'),
        byId: (await eventById(operation).load({ sessionId, value: 'e4' }))?.eventId,
        answer: (await answerOf(operation, described))?.eventId,
        reply: (await replyTo(operation, asked))?.kind,
      };
    };
    expect(session.eventHead).toBe(3);
    expect(await read(early)).toEqual({
      page: 3,
      total: 3,
      byNumber: undefined,
      byId: undefined,
      answer: 'e1',
      reply: undefined,
    });
    expect(await read(seeded.as('owner'))).toEqual({
      page: 5,
      total: 5,
      byNumber: 'e4',
      byId: 'e4',
      answer: 'e4',
      reply: 'user_message',
    });
  });

  it('finds nothing of a session that the viewer may not see (P9)', async () => {
    const sessionId = await seeded.newSession();
    await appendEvents(seeded.as('service'), sessionId, [{ kind: 'session_idle', eventId: 'e1' }]);
    const stranger = seeded.as('stranger');
    expect(await eventById(stranger).load({ sessionId, value: 'e1' })).toBeNull();
    expect(await eventByNumber(stranger).load({ sessionId, value: '1' })).toBeNull();
  });
});
