import { describe, expect, test } from 'vitest';
import { parseTitles } from '../../src/ingest/titles.js';
import {
  blockStart,
  blockStop,
  cited,
  finish,
  ingestObjects,
  messageStart,
  messageStop,
  ofKind,
  result,
  summary,
  text,
  thinking,
  toolUse,
  webCitation,
  webSearch,
} from './streams.js';

const run = (...objects: unknown[]) => ingestObjects(objects).events;
const ignoredOf = (...objects: unknown[]) => ingestObjects(objects).stream.counts.ignored;
const SEARCHING = 'activity STARTED "Searching the web"';
const SEARCHED = 'activity COMPLETED "Searching the web"';
const WORKING = 'activity STARTED "Working"';

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
