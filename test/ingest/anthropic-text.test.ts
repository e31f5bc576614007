import { describe, expect, test } from 'vitest';
import type { EventInput } from '../../src/events/content.js';
import {
  blockStart,
  blockStop,
  cited,
  finish,
  ingestObjects,
  messageStart,
  ofKind,
  result,
  summary,
  text,
  textDelta,
  webCitation,
  webSearch,
} from './streams.js';

const run = (...objects: unknown[]) => ingestObjects(objects).events;
const ignoredOf = (...objects: unknown[]) => ingestObjects(objects).stream.counts.ignored;
const textOf = (events: readonly EventInput[]) => ofKind(events, 'agent_message').map((event) => event.text);

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
