import { describe, expect, test } from 'vitest';
import { type EventInput, eventContent } from '../../src/events/content.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import { parseTitles } from '../../src/ingest/titles.js';
import {
  blockStart,
  blockStop,
  cited,
  delta,
  finish,
  ingestObjects,
  messageStart,
  messageStop,
  ofKind,
  result,
  stopReason,
  summary,
  text,
  textDelta,
  thinking,
  toolUse,
  webCitation,
  webSearch,
} from './streams.js';

const run = (...objects: unknown[]) => ingestObjects(objects).events;
const ignoredOf = (...objects: unknown[]) => ingestObjects(objects).stream.counts.ignored;
const textOf = (events: readonly EventInput[]) => ofKind(events, 'agent_message').map((event) => event.text);

const SEARCHING = 'activity STARTED "Searching the web"';
const SEARCHED = 'activity COMPLETED "Searching the web"';
const WORKING = 'activity STARTED "Working"';

describe('text', () => {
  test('of all blocks of a message becomes one agent_message', () => {
    const events = run(messageStart('m'), text(0, 'One', ' two'), text(1, ', three'), finish());
    expect(textOf(events)).toEqual(['One two, three']);
    expect(summary(events)).toEqual([
      'agent_message COMPLETE, 14 characters, 0 citations of 0 sources',
      'session_idle',
    ]);
  });

  test('around a tool makes two paragraphs, unless it has blanks of its own', () => {
    const around = (before: string, after: string) =>
      run(
        messageStart('m'),
        text(0, before),
        webSearch(1, 'q'),
        result(2, 'search_1', []),
        text(3, after),
        finish(),
      );
    expect(textOf(around('I will look.', 'Here it is.'))).toEqual(['I will look.\n\nHere it is.']);
    expect(textOf(around('I will look.\n', 'Here it is.'))).toEqual(['I will look.\nHere it is.']);
    expect(textOf(around('', 'Here it is.'))).toEqual(['Here it is.']);
  });

  test('keeps the order of its blocks when they interleave', () => {
    const begin = (index: number) => blockStart(index, { type: 'text', text: '' });
    const objects = [
      begin(0),
      begin(1),
      textDelta(1, 'B'),
      textDelta(0, 'A'),
      blockStop(1),
      textDelta(0, 'a'),
      blockStop(0),
    ];
    expect(textOf(run(messageStart('m'), objects, finish()))).toEqual(['AaB']);
  });

  test('that is none, or blank, is no message', () => {
    expect(summary(run(messageStart('m'), text(0), text(1, ' \n'), finish()))).toEqual(['session_idle']);
  });

  test('pieces cut inside a surrogate pair are joined; what stays alone becomes U+FFFD, as does U+0000', () => {
    const events = run(
      messageStart('m'),
      text(0, 'a\ud83d', '\ude00b\ud83d'),
      text(1, '\ude00 \udc00\u0000'),
      finish(),
    );
    expect(textOf(events)).toEqual(['a\u{1f600}b\u{1f600} \uFFFD\uFFFD']);
  });

  test('that writes our markup is told from it by U+2060, even when the tag lies across blocks', () => {
    const events = run(messageStart('m'), text(0, 'a <cita'), text(1, 'tions>x</citations> <b>'), finish());
    expect(textOf(events)).toEqual(['a <\u2060citations>x<\u2060/citations> <b>']);
  });

  test('that is longer than an event can hold is cut, and says so', () => {
    const piece = '😀'.repeat(300_000);
    const events = run(messageStart('m'), text(0, 'x', ...Array.from({ length: 5 }, () => piece)), finish());
    const [message] = ofKind(events, 'agent_message');
    expect(message?.completion).toBe('TRUNCATED');
    expect(message?.text.length).toBe(2 * 1024 * 1024 - 1);
    expect(message?.text.isWellFormed()).toBe(true);
  });
});

describe('citations', () => {
  const A = 'https://example.org/a';
  const B = 'https://example.org/b';

  test('follow the text of their block as tokens of the message, each with its quote and source', () => {
    const events = run(
      messageStart('m'),
      cited(0, 'First.', webCitation(A, 'A', 'qa'), webCitation(B, 'B', 'qb')),
      text(1, ' Then '),
      cited(2, 'second.', webCitation(A, 'A', 'again')),
      finish(),
    );
    const [message] = ofKind(events, 'agent_message');
    expect(message?.text).toBe('First.<citations>r1,r2</citations> Then second.<citations>r3</citations>');
    expect(message?.citations.map(({ reference, quote }) => [reference, quote])).toEqual([
      ['r1', 'qa'],
      ['r2', 'qb'],
      ['r3', 'again'],
    ]);
    const refs = message?.citations.map(({ source }) => source.sourceRef) ?? [];
    expect(refs[2]).toBe(refs[0]);
    expect(new Set(refs).size).toBe(2);
    expect(message?.citations[0]?.source).toMatchObject({ title: 'A', url: A });
  });

  test('of documents have a title and no address; untitled ones are told apart', () => {
    const document = (type: string, document_index: number, document_title: string | null) => ({
      type,
      cited_text: 'q',
      document_index,
      document_title,
    });
    const events = run(
      messageStart('m'),
      cited(
        0,
        'x',
        document('char_location', 0, 'T'),
        document('page_location', 1, null),
        document('content_block_location', 2, null),
        document('char_location', 1, null),
      ),
      finish(),
    );
    const sources = ofKind(events, 'agent_message')[0]?.citations.map(({ source }) => source) ?? [];
    expect(sources.map(({ title, url }) => [title, url])).toEqual([
      ['T', undefined],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(new Set(sources.map(({ sourceRef }) => sourceRef)).size).toBe(3);
    expect(sources[3]?.sourceRef).toBe(sources[1]?.sourceRef);
  });

  test('of search results show an address only if it is a web address', () => {
    const found = (source: string) => ({
      type: 'search_result_location',
      cited_text: 'q',
      source,
      title: 'S',
    });
    const events = run(messageStart('m'), cited(0, 'x', found('kb://1'), found(A)), finish());
    const urls = ofKind(events, 'agent_message')[0]?.citations.map(({ source }) => source.url);
    expect(urls).toEqual([undefined, A]);
  });

  test('that come whole with their block count too', () => {
    const block = { type: 'text', text: 'x', citations: [webCitation(A, 'A')] };
    const events = run(messageStart('m', { content: [block] }), finish());
    expect(textOf(events)).toEqual(['x<citations>r1</citations>']);
  });

  test('of an unknown kind are counted; more than a message can carry are counted as surplus', () => {
    const objects = [messageStart('m'), cited(0, 'x', { type: 'new_location' }), finish()];
    expect(textOf(run(objects))).toEqual(['x']);
    expect(ignoredOf(objects)).toEqual({ unknown_citation: 1 });
    const many = Array.from({ length: 2_001 }, () => webCitation(A, 'A'));
    const { events, stream } = ingestObjects([messageStart('m'), cited(0, 'x', ...many), finish()]);
    expect(ofKind(events, 'agent_message')[0]?.citations).toHaveLength(2_000);
    expect(stream.counts.ignored).toEqual({ surplus: 1 });
  });
});

describe('tools', () => {
  test('of the service start when their input is complete and settle with their result', () => {
    const [first, second, ...rest] = webSearch(0, 'q');
    const before = ingestObjects([messageStart('m'), first, second, ...rest.slice(0, -1)], {
      why: 'stopped',
    });
    expect(ofKind(before.events, 'activity')).toEqual([]);
    const events = run(messageStart('m'), webSearch(0, 'q'), result(1, 'search_0', []), finish());
    const [started, completed] = ofKind(events, 'activity');
    expect(summary(events)).toEqual([SEARCHING, SEARCHED, 'session_idle']);
    expect(completed?.activityId).toBe(started?.activityId);
    expect(completed?.eventId).not.toBe(started?.eventId);
  });

  test.each([
    ['is_error', { is_error: true, content: [] }],
    [
      'an error as its content',
      { content: { type: 'web_search_tool_result_error', error_code: 'unavailable' } },
    ],
  ])('fail with %s, and a search that failed is none of the methods', (_, more) => {
    const failed = [
      blockStart(1, { type: 'web_search_tool_result', tool_use_id: 'search_0', ...more }),
      blockStop(1),
    ];
    const events = run(messageStart('m'), webSearch(0, 'q'), failed, text(2, 'x'), finish());
    expect(summary(events)).toEqual([
      SEARCHING,
      'activity FAILED "Searching the web"',
      'agent_message COMPLETE, 1 characters, 0 citations of 0 sources',
      'session_idle',
    ]);
  });

  test('of the caller end the message without an idle, and are over when the agent goes on', () => {
    const first = [messageStart('m1'), text(0, 'I will.'), toolUse(1), finish('tool_use')];
    const message = 'agent_message COMPLETE, 7 characters, 0 citations of 0 sources';
    expect(summary(run(first))).toEqual([WORKING, message]);
    expect(summary(run(first, messageStart('m2'), text(0, 'Done.'), finish()))).toEqual([
      WORKING,
      message,
      'activity COMPLETED "Working"',
      'agent_message COMPLETE, 5 characters, 0 citations of 0 sources',
      'session_idle',
    ]);
  });

  test('of the service may settle in a later message, or in a later stream', () => {
    const call = [messageStart('m1'), webSearch(0, 'q'), finish('pause_turn')];
    const rest = [messageStart('m2'), result(0, 'search_0', []), finish()];
    expect(summary(run(call, rest))).toEqual([
      SEARCHING,
      'session_paused',
      'session_resumed',
      SEARCHED,
      'session_idle',
    ]);
    const [together] = ofKind(run(call, rest), 'activity').slice(-1);
    const [apart] = ofKind(run(rest), 'activity');
    expect(apart).toEqual(together);
  });

  test('whole in the message that begins, with their input at once, are calls too', () => {
    const content = [
      { type: 'text', text: 'Looking.' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'whole' } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
    ];
    const events = run(messageStart('m', { content }), messageStop);
    expect(summary(events).slice(0, 2)).toEqual([SEARCHING, SEARCHED]);
    expect(ofKind(events, 'methods')[0]?.searches).toEqual([{ source: 'web', query: 'whole' }]);
    const call = { type: 'tool_use', id: 't', name: 'x', input: { a: 1 } };
    expect(summary(run(messageStart('m', { content: [call] }), messageStop))).toEqual([WORKING]);
  });

  test('whose input is cut by max_tokens were never called', () => {
    const half = toolUse(1, { json: '{"a": "b' }).slice(0, -1);
    const objects = [messageStart('m'), text(0, 'I will.'), half, finish('max_tokens')];
    expect(summary(run(objects))).toEqual([
      'agent_message TRUNCATED, 7 characters, 0 citations of 0 sources',
      'session_idle',
    ]);
    expect(ignoredOf(objects)).toEqual({ unfinished_tool_input: 1 });
  });

  test('whose block has no end are taken to end with the message', () => {
    const open = toolUse(0, { json: '{"a":1}' }).slice(0, -1);
    expect(summary(run(messageStart('m'), open, finish('tool_use')))).toEqual([WORKING]);
  });

  test('have an empty input if nothing, or only blanks, came of it', () => {
    expect(summary(run(messageStart('m'), toolUse(0, { json: '' }), finish('tool_use')))).toEqual([WORKING]);
    expect(summary(run(messageStart('m'), toolUse(0, { json: ' ' }), finish('tool_use')))).toEqual([WORKING]);
  });

  test('input that nests too deep is not read, and the call is still told', () => {
    const json = `{"query":${'['.repeat(200)}${']'.repeat(200)}}`;
    const objects = [messageStart('m'), toolUse(0, { name: 'web_search', json }), finish('tool_use')];
    expect(summary(run(objects))).toEqual([SEARCHING]);
    expect(ignoredOf(objects)).toEqual({ deep_tool_input: 1 });
  });

  test('deliver files by name, type and size, never by path', () => {
    const content = {
      type: 'bash_code_execution_result',
      stdout: 'secret output',
      content: [
        { type: 'bash_code_execution_output', file_id: 'file_1' },
        {
          type: 'bash_code_execution_output',
          file_id: 'file_2',
          filename: '/mnt/private/Table.CSV',
          mime_type: 'text/csv',
          size_bytes: 2 ** 31,
        },
        { type: 'other' },
      ],
    };
    const events = run(
      messageStart('m'),
      toolUse(0, { type: 'server_tool_use', id: 'c', name: 'bash_code_execution' }),
      result(1, 'c', content, 'bash_code_execution_tool_result'),
      finish(),
    );
    const [delivered] = ofKind(events, 'artifacts_delivered');
    expect(delivered?.artifacts.map(({ artifactId: _, ...file }) => file)).toEqual([
      { kind: 'AGENT_DELIVERED_FILE', filename: 'file-1' },
      {
        kind: 'AGENT_DELIVERED_FILE',
        filename: 'Table.CSV',
        format: 'csv',
        contentType: 'text/csv',
        sizeBytes: 2 ** 31,
      },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/private|secret|file_\d/);
  });

  test('take their titles from the map', () => {
    const titles = parseTitles('{"private_tool": "Asking the librarian"}');
    const { events } = ingestObjects([messageStart('m'), toolUse(0), finish('tool_use')], { titles });
    expect(summary(events)).toEqual(['activity STARTED "Asking the librarian"']);
  });
});

describe('thinking', () => {
  test('is told once a message, and never what was thought', () => {
    const redacted = [blockStart(2, { type: 'redacted_thinking', data: 'private data' }), blockStop(2)];
    const events = run(messageStart('m'), thinking(0), text(1, 'x'), redacted, thinking(3), finish());
    expect(summary(events)).toEqual([
      'activity STARTED "Thinking"',
      'activity COMPLETED "Thinking"',
      'agent_message COMPLETE, 1 characters, 0 citations of 0 sources',
      'session_idle',
    ]);
    expect(JSON.stringify(events)).not.toContain('private');
  });
});

describe('methods', () => {
  test('follow the answer with its searches, each once and in order, and what it cites', () => {
    const events = run(
      messageStart('m'),
      ['b', 'a', 'b'].flatMap((query, n) => [
        ...webSearch(2 * n, query, `s${n}`),
        ...result(2 * n + 1, `s${n}`, []),
      ]),
      cited(
        6,
        'x',
        webCitation('https://example.org/a', 'A'),
        webCitation('https://example.org/a#part', 'A'),
      ),
      finish(),
    );
    expect(summary(events).slice(-3)).toEqual([
      'agent_message COMPLETE, 29 characters, 2 citations of 1 sources',
      'methods, 2 searches, 1 sources',
      'session_idle',
    ]);
    const [methods] = ofKind(events, 'methods');
    expect(methods).toMatchObject({
      messageId: ofKind(events, 'agent_message')[0]?.messageId,
      approach: 'Searched the web and answered from what was found.',
      searches: [
        { source: 'web', query: 'b' },
        { source: 'web', query: 'a' },
      ],
      evidenceBase: { sourceCount: 1 },
      sections: [],
      keyJudgments: [],
      artifacts: [],
    });
  });

  test('have no evidence base where nothing is cited, and do not come without a search or without an answer', () => {
    const search = [webSearch(0, 'q'), result(1, 'search_0', [])];
    expect(ofKind(run(messageStart('m'), search, text(2, 'x'), finish()), 'methods')[0]).not.toHaveProperty(
      'evidenceBase',
    );
    expect(ofKind(run(messageStart('m'), text(0, 'x'), finish()), 'methods')).toEqual([]);
    expect(ofKind(run(messageStart('m'), search, finish()), 'methods')).toEqual([]);
  });

  test('belong to the run: searches before a pause or a call count for the answer, those of the run before do not', () => {
    const searched = [messageStart('m1'), webSearch(0, 'q'), result(1, 'search_0', []), finish('pause_turn')];
    const answered = [messageStart('m2'), text(0, 'x'), finish()];
    const next = [messageStart('m3'), text(0, 'y'), finish()];
    const methods = ofKind(run(searched, answered, next), 'methods');
    expect(methods.map(({ searches }) => searches)).toEqual([[{ source: 'web', query: 'q' }]]);
  });

  test('know the corpus of a configured tool', () => {
    const titles = parseTitles('{"private_tool": {"title": "Searching PubMed", "searches": "pubmed"}}');
    const json = '{"query": "sleep", "queries": ["dreams", 7, " "]}';
    const objects = [
      messageStart('m'),
      toolUse(0, { type: 'server_tool_use', json }),
      webSearch(1, 'q'),
      text(2, 'x'),
      finish(),
    ];
    const [methods] = ofKind(ingestObjects(objects, { titles }).events, 'methods');
    expect(methods?.approach).toBe('Searched PubMed and the web and answered from what was found.');
    expect(methods?.searches).toEqual([
      { source: 'pubmed', query: 'sleep' },
      { source: 'pubmed', query: 'dreams' },
      { source: 'web', query: 'q' },
    ]);
  });
});

describe('how a run ends', () => {
  const answer = [messageStart('m'), text(0, 'answer')];
  const message = (completion: string) =>
    `agent_message ${completion}, 6 characters, 0 citations of 0 sources`;

  test.each([
    ['end_turn', ['agent_message COMPLETE', 'session_idle']],
    ['stop_sequence', ['agent_message COMPLETE', 'session_idle']],
    ['a_new_reason', ['agent_message COMPLETE', 'session_idle']],
    ['max_tokens', ['agent_message TRUNCATED', 'session_idle']],
    ['model_context_window_exceeded', ['agent_message TRUNCATED', 'session_idle']],
    ['tool_use', ['agent_message COMPLETE']],
    ['pause_turn', ['agent_message COMPLETE', 'session_paused']],
    ['refusal', ['agent_message TRUNCATED', 'error AGENT_FAILED']],
  ])('%s', (reason, expected) => {
    expect(summary(run(answer, finish(reason))).map((line) => line.replace(/,.*/, ''))).toEqual(expected);
  });

  test('a refusal without text is an error alone', () => {
    expect(summary(run(messageStart('m'), finish('refusal')))).toEqual(['error AGENT_FAILED']);
  });

  test('a stream that breaks off keeps its text, cut, fails what is open and says so once', () => {
    for (const why of ['eof', 'cutoff'] as const) {
      const { events } = ingestObjects([answer, webSearch(1, 'q')], { why });
      expect(summary(events)).toEqual([
        SEARCHING,
        'activity FAILED "Searching the web"',
        message('TRUNCATED'),
        'error AGENT_FAILED retryable',
      ]);
    }
  });

  test('a message whose stop reason came is whole, even if the stream ends or the next message begins before its end', () => {
    const whole = [...answer, stopReason('end_turn')];
    expect(summary(run(whole))).toEqual([message('COMPLETE'), 'session_idle']);
    expect(summary(run(whole, messageStart('m2'), text(0, 'x'), finish())).slice(0, 2)).toEqual([
      message('COMPLETE'),
      'session_idle',
    ]);
  });

  test('a stream that ends between runs, or never began one, ends quietly', () => {
    expect(run()).toEqual([]);
    expect(run({ type: 'ping' }, { type: 'new' })).toEqual([]);
    const { events } = ingestObjects([answer, finish()], { why: 'cutoff' });
    expect(summary(events)).toEqual([message('COMPLETE'), 'session_idle']);
  });

  test('a silence is a time-out, a stop an abort', () => {
    const timedOut = ingestObjects(answer, { why: 'timeout' }).events;
    expect(summary(timedOut)).toEqual([message('TRUNCATED'), 'error AGENT_TIMED_OUT retryable']);
    const stopped = ingestObjects([answer, webSearch(1, 'q')], { why: 'stopped' }).events;
    expect(summary(stopped).slice(1)).toEqual([
      'activity FAILED "Searching the web"',
      message('ABORTED'),
      'session_stopped',
    ]);
    expect(summary(ingestObjects([answer, finish()], { why: 'stopped' }).events)).toHaveLength(2);
  });

  test.each([
    ['overloaded_error', 'AGENT_API_ERROR', true],
    ['rate_limit_error', 'AGENT_API_ERROR', true],
    ['api_error', 'AGENT_API_ERROR', true],
    ['a_new_error', 'AGENT_API_ERROR', true],
    ['timeout_error', 'AGENT_TIMED_OUT', true],
    ['authentication_error', 'AGENT_API_ERROR', false],
    ['billing_error', 'AGENT_API_ERROR', false],
    ['permission_error', 'AGENT_API_ERROR', false],
    ['invalid_request_error', 'AGENT_API_ERROR', false],
    ['request_too_large', 'AGENT_API_ERROR', false],
  ])('%s is %s, in our own words, once', (type, code, retryable) => {
    const error = { type: 'error', error: { type, message: 'at /srv/private, req_1' }, request_id: 'req_1' };
    const events = run(answer, error, error);
    expect(ofKind(events, 'error')).toMatchObject([{ code, retryable }]);
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events)).not.toMatch(/private|req_1/);
    expect(ignoredOf(answer, error, error)).toEqual({ repeated_error: 1 });
    expect(ofKind(run(error), 'error')).toMatchObject([{ code, retryable }]);
  });

  test('after a failure the next message begins a run of its own', () => {
    const error = { type: 'error', error: { type: 'overloaded_error' } };
    const events = run(answer, error, messageStart('m2'), text(0, 'answer'), finish());
    expect(summary(events)).toEqual([
      message('TRUNCATED'),
      'error AGENT_API_ERROR retryable',
      message('COMPLETE'),
      'session_idle',
    ]);
  });
});

describe('what should not be there', () => {
  test('a message announced twice is announced once', () => {
    const objects = [messageStart('m'), messageStart('m'), text(0, 'x'), finish()];
    expect(textOf(run(objects))).toEqual(['x']);
    expect(ignoredOf(objects)).toEqual({ duplicate_message_start: 1 });
  });

  test('a second attempt in the middle of a message drops the first, and its calls fail', () => {
    const objects = [
      messageStart('m1'),
      thinking(0),
      text(1, 'first'),
      webSearch(2, 'q1'),
      messageStart('m2'),
      thinking(0),
      text(1, 'second'),
      finish(),
    ];
    expect(summary(run(objects))).toEqual([
      'activity STARTED "Thinking"',
      'activity COMPLETED "Thinking"',
      SEARCHING,
      'activity FAILED "Searching the web"',
      'agent_message COMPLETE, 6 characters, 0 citations of 0 sources',
      'session_idle',
    ]);
    expect(textOf(run(objects))).toEqual(['second']);
    expect(ignoredOf(objects)).toEqual({ dropped_message: 1 });
  });

  test('is ignored and counted, by kinds of our own', () => {
    const objects = [
      textDelta(0, 'before any message'),
      messageStart('m'),
      { type: 'new_event' },
      { no: 'type' },
      { ...textDelta(0, 'no index'), index: '0' },
      textDelta(0, 'never begun'),
      text(0, 'x'),
      textDelta(0, 'late'),
      [blockStart(1, { type: 'hologram' }), delta(1, { type: 'hologram_delta' }), blockStop(1)],
      [
        blockStart(2, { type: 'compaction' }),
        delta(2, { type: 'compaction_delta', content: 'c' }),
        blockStop(2),
      ],
      [blockStart(3, { type: 'thinking' }), textDelta(3, 'misplaced'), blockStop(3)],
      stopReason('a_new_reason'),
      messageStop,
      messageStop,
    ];
    expect(textOf(run(objects))).toEqual(['x']);
    expect(ignoredOf(objects)).toEqual({
      outside_message: 2,
      unknown_event: 1,
      not_an_event: 2,
      late_delta: 2,
      unknown_block: 1,
      unknown_delta: 1,
      misplaced_delta: 1,
      unknown_stop_reason: 1,
    });
  });
});

describe('identity', () => {
  const turn = (id: string) => [messageStart(id), thinking(0), text(1, 'same'), webSearch(2, 'q'), finish()];
  const idsOf = (events: readonly EventInput[]) => events.map(({ eventId }) => eventId);

  test('the same stream gives the same events; another session, others', () => {
    expect(run(turn('m'))).toEqual(run(turn('m')));
    const elsewhere = ingestObjects(turn('m'), { sessionId: 'another' }).events;
    const here = new Set(idsOf(run(turn('m'))));
    expect(idsOf(elsewhere).filter((eventId) => here.has(eventId))).toEqual([]);
    expect(new Set(JSON.stringify(elsewhere).match(/(?:msg|act|cit)_[\w-]{22}/g))).not.toContain(
      ofKind(run(turn('m')), 'agent_message')[0]?.messageId,
    );
  });

  test('two turns that say the same are two, by their upstream ids', () => {
    const search = (id: string) => [messageStart(id), text(0, 'same'), finish()];
    const events = [...run(search('m1')), ...run(search('m2'))];
    expect(new Set(idsOf(events)).size).toBe(events.length);
  });

  test('an upstream id that is used again within a stream names another message', () => {
    const once = [messageStart('m'), text(0, 'same'), finish()];
    const events = run(once, once);
    expect(events).toHaveLength(4);
    expect(new Set(idsOf(events)).size).toBe(4);
    expect(run(once)).toEqual(events.slice(0, 2));
  });

  test('a message that broke off and comes again whole is a new snapshot of the same message', () => {
    const half = ofKind(run(turn('m').flat().slice(0, 7)), 'agent_message')[0];
    const whole = ofKind(run(turn('m')), 'agent_message')[0];
    expect(half?.messageId).toBe(whole?.messageId);
    expect(half?.eventId).not.toBe(whole?.eventId);
  });

  test('no upstream id comes out', () => {
    const objects = [
      messageStart('msg_upstream'),
      toolUse(0, { id: 'toolu_upstream' }),
      text(1, 'x'),
      finish('tool_use'),
    ];
    expect(JSON.stringify(run(objects))).not.toContain('upstream');
  });
});

describe('limits', () => {
  test('open blocks: the stream ends with its text, an error and the reason', () => {
    const limits = { ...DEFAULT_LIMITS, openBlocks: 3 };
    const begin = (index: number) => blockStart(index, { type: 'text', text: 'x' });
    const objects = [messageStart('m'), begin(0), begin(1), begin(2), begin(3), finish()];
    const { events, stream } = ingestObjects(objects, { limits });
    expect(summary(events)).toEqual([
      'agent_message TRUNCATED, 3 characters, 0 citations of 0 sources',
      'error AGENT_FAILED',
    ]);
    expect(stream.fault).toMatchObject({ code: 'BAD_USER_INPUT', details: { limit: 'openBlocks', max: 3 } });
    expect(stream.push(new Uint8Array(1))).toEqual([]);
    expect(stream.end()).toEqual([]);
  });

  test('open calls count as open blocks do', () => {
    const limits = { ...DEFAULT_LIMITS, openBlocks: 3 };
    const objects = [messageStart('m'), ...[0, 1, 2, 3].map((index) => toolUse(index))];
    const { events, stream } = ingestObjects(objects, { limits });
    expect(stream.fault?.details.limit).toBe('openBlocks');
    expect(ofKind(events, 'activity').map(({ status }) => status)).toEqual([
      ...Array(3).fill('STARTED'),
      ...Array(3).fill('FAILED'),
    ]);
  });

  test.each([
    ['text', (piece: string) => textDelta(0, piece)],
    ['tool input', (piece: string) => delta(1, { type: 'input_json_delta', partial_json: piece })],
    [
      'citations',
      (piece: string) => delta(0, { type: 'citations_delta', citation: webCitation('u', 't', piece) }),
    ],
    ['empty blocks', (_: string, index: number) => text(index + 2)],
  ])('bytes held open: %s', (_, piece) => {
    const limits = { ...DEFAULT_LIMITS, heldBytes: 10_000 };
    const begin = [
      blockStart(0, { type: 'text', text: '' }),
      blockStart(1, { type: 'tool_use', id: 't', name: 'n' }),
    ];
    const pieces = Array.from({ length: 200 }, (__, index) => piece('é'.repeat(50), index));
    const { stream } = ingestObjects([messageStart('m'), begin, pieces], { limits });
    expect(stream.fault).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      details: { limit: 'heldBytes', max: 10_000 },
    });
  });

  test.each([
    ['ends', finish('tool_use'), 31],
    ['is dropped', [], 1],
  ])('what a message held is free when it %s', (_, ending, published) => {
    const limits = { ...DEFAULT_LIMITS, heldBytes: 10_000 };
    const begun = (n: number) => [messageStart(`m${n}`), text(0, 'x'.repeat(4_000))];
    const messages = Array.from({ length: 30 }, (_, n) => [begun(n), ending]);
    const { events, stream } = ingestObjects([messages, begun(30), finish()], { limits });
    expect(stream.fault).toBeUndefined();
    expect(ofKind(events, 'agent_message')).toHaveLength(published);
  });

  test('a fault between messages is an error event too', () => {
    const limits = { ...DEFAULT_LIMITS, lineBytes: 1_000 };
    const objects = [messageStart('m'), text(0, 'x'), finish(), { type: 'x', pad: 'x'.repeat(2_000) }];
    const { events, stream } = ingestObjects(objects, { limits });
    expect(summary(events).slice(-2)).toEqual(['session_idle', 'error AGENT_FAILED']);
    expect(stream.fault?.code).toBe('PAYLOAD_TOO_LARGE');
  });
});

test('every event of a stream that has everything passes the one door', () => {
  const long = 'x'.repeat(70_000);
  const events = run(
    messageStart('m'),
    thinking(0),
    webSearch(1, `\u0000${long}\ud800`),
    result(2, 'search_1', []),
    cited(
      3,
      `\u0000\ud800`,
      webCitation(`https://example.org/${long}`, long, long),
      webCitation('', '\u0000', '\ud800'),
    ),
    toolUse(4, { id: '' }),
    finish('end_turn'),
    { type: 'error' },
  );
  for (const event of events) expect(eventContent.safeParse(event).error).toBeUndefined();
  expect(ofKind(events, 'methods')).toEqual([]);
  expect(summary(events).at(-1)).toBe('error AGENT_API_ERROR retryable');
});
