import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoom, type Room } from '../elicitations/room.js';
import { eventually } from '../subscriptions/eventually.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';

const SECRET = 'hunter2';
const NUMBER = '90071992547409931234';

let room: Room;
beforeAll(async () => {
  room = await openRoom();
});
afterAll(() => room.close());

const APPROVE =
  'mutation ($input: ApproveElicitationInput!) { approveElicitation(input: $input) { elicitation { status } } }';
const READ = 'query ($id: ID) { elicitation(elicitationId: $id) { status } }';
const LIST = 'query ($first: Int) { elicitations(first: $first) { totalCount } }';
const HISTORY = 'query ($scope: ElicitationScope) { elicitationHistory(scope: $scope) { total } }';
const SESSION_ASK =
  'mutation ($input: RequestElicitationInput!) { requestElicitation(input: $input) { elicitation { status } } }';
const FOLLOW = 'subscription ($id: ID!) { sessionEvents(sessionId: $id) { checkpoint } }';
const inline = (fields: string) =>
  `mutation { approveElicitation(input: { ${fields} }) { elicitation { status } } }`;

const approval = (more: string) =>
  `{"input":{"elicitationId":"e","formSubmission":{"a":"${SECRET}"}${more}}}`;
const submitted = (value: string) => `{"input":{"elicitationId":"e","formSubmission":${value}}}`;

/** A way to be refused before any resolver, with its variables as JSON, and what is said of it. */
const WAYS: readonly (readonly [name: string, query: string, variables: string, said: string])[] = [
  [
    'U+0000',
    APPROVE,
    submitted(`{"a":"${SECRET}\\u0000"}`),
    'Variable "$input" got an object at "input.formSubmission": Expected type "JSON". JSON: expected text without U+0000 (NUL).',
  ],
  [
    'a whole number beyond 2^53',
    APPROVE,
    submitted(`{"a":"${SECRET}","b":${NUMBER}}`),
    'Variable "$input" got an object at "input.formSubmission": Expected type "JSON". JSON: expected whole numbers of up to 2^53-1, got one beyond. Send it as text.',
  ],
  [
    'infinity',
    APPROVE,
    submitted(`["${SECRET}",1e400]`),
    'Variable "$input" got a list at "input.formSubmission": Expected type "JSON". JSON: expected numbers of up to 1.7976931348623157e308, got a larger one.',
  ],
  [
    'an unknown field',
    APPROVE,
    approval(`,"reason":"${SECRET}"`),
    'Variable "$input" got an object: Field "reason" is not defined by type "ApproveElicitationInput".',
  ],
  [
    'an unknown field with a name that is none',
    APPROVE,
    approval(`,"it is ${SECRET}":1`),
    'Variable "$input" got an object: A field is not defined by type "ApproveElicitationInput".',
  ],
  [
    'a missing field',
    APPROVE,
    `{"input":{"formSubmission":"${SECRET}; at \\"input.a\\""}}`,
    'Variable "$input" got an object: Field "elicitationId" of required type "ID!" was not provided.',
  ],
  [
    'a text in the place of an object',
    APPROVE,
    `{"input":"${SECRET} at \\"input.a\\""}`,
    'Variable "$input" got text: Expected type "ApproveElicitationInput" to be an object.',
  ],
  [
    'null in a field',
    APPROVE,
    `{"input":{"elicitationId":null,"formSubmission":{"a":"${SECRET}"}}}`,
    'Variable "$input" got null at "input.elicitationId": Expected non-nullable type "ID!" not to be null.',
  ],
  [
    'an object in the place of an id',
    READ,
    `{"id":{"a":"${SECRET}"}}`,
    'Variable "$id" got an object: ID cannot represent value.',
  ],
  [
    'a text in the place of a number',
    LIST,
    `{"first":"${SECRET}: 1"}`,
    'Variable "$first" got text: Int cannot represent non-integer value.',
  ],
  [
    'a large number',
    LIST,
    `{"first":${NUMBER}}`,
    'Variable "$first" got a number: Int cannot represent non 32-bit signed integer value.',
  ],
  [
    'another enum value',
    HISTORY,
    `{"scope":"${SECRET}"}`,
    'Variable "$scope" got text: The value does not exist in "ElicitationScope" enum.',
  ],
  [
    'a list in the place of an enum value',
    HISTORY,
    `{"scope":["${SECRET}"]}`,
    'Variable "$scope" got a list: Enum "ElicitationScope" cannot represent non-string value.',
  ],
  [
    'no instant',
    SESSION_ASK,
    `{"input":{"message":"m","expiresAt":"${SECRET}"}}`,
    'Variable "$input" got text at "input.expiresAt": DateTime: expected an RFC 3339 instant with Z or an offset, such as 2026-07-30T12:00:00.000Z.',
  ],
  [
    'a boolean in the place of a text',
    SESSION_ASK,
    `{"input":{"message":true,"context":"${SECRET}"}}`,
    'Variable "$input" got a boolean at "input.message": String cannot represent a non string value.',
  ],
  [
    'a literal with U+0000',
    inline(`elicitationId: "e", formSubmission: { a: "${SECRET}\\u0000" }`),
    '{}',
    'Expected value of type "JSON", found an object. JSON: expected text without U+0000 (NUL).',
  ],
  [
    'a literal of an unknown field',
    inline(`elicitationId: "e", reason: "${SECRET}"`),
    '{}',
    'Field "reason" is not defined by type "ApproveElicitationInput".',
  ],
  [
    'a literal text in the place of an object',
    `mutation { approveElicitation(input: "${SECRET}") { elicitation { status } } }`,
    '{}',
    'Expected value of type "ApproveElicitationInput!", found text.',
  ],
  [
    'a literal object in the place of an id',
    inline(`elicitationId: { a: "${SECRET}: b" }`),
    '{}',
    'ID cannot represent a non-string and non-integer value, got an object.',
  ],
  [
    'a literal text in the place of a number',
    `{ elicitations(first: "${SECRET}") { totalCount } }`,
    '{}',
    'Int cannot represent non-integer value, got text.',
  ],
  [
    'a literal number that is too large',
    `{ elicitations(first: ${NUMBER}) { totalCount } }`,
    '{}',
    'Int cannot represent non 32-bit signed integer value, got a number.',
  ],
  [
    'a literal name in the place of an enum value',
    `{ elicitationHistory(scope: ${SECRET}) { total } }`,
    '{}',
    'The value does not exist in "ElicitationScope" enum.',
  ],
  [
    'a literal text in the place of an enum value',
    `{ elicitationHistory(scope: "${SECRET}") { total } }`,
    '{}',
    'Enum "ElicitationScope" cannot represent non-enum value, got text.',
  ],
  [
    'a default of a variable',
    `query ($first: Int = "${SECRET}") { elicitations(first: $first) { totalCount } }`,
    '{}',
    'Int cannot represent non-integer value, got text.',
  ],
  [
    'a literal in a directive',
    `{ viewer @include(if: "${SECRET}") { role } }`,
    '{}',
    'Boolean cannot represent a non boolean value, got text.',
  ],
  [
    'a literal no instant',
    `mutation { requestElicitation(input: { message: "m", expiresAt: "${SECRET}" }) { elicitation { status } } }`,
    '{}',
    'DateTime: expected an RFC 3339 instant with Z or an offset, such as 2026-07-30T12:00:00.000Z.',
  ],
  [
    'a variable in a literal with U+0000',
    `mutation ($a: String) { approveElicitation(input: { elicitationId: "e", formSubmission: { b: "${SECRET}", a: $a } }) { elicitation { status } } }`,
    `{"a":"${SECRET}\\u0000"}`,
    'Argument "input" has an invalid value, an object.',
  ],
  [
    'a text where the syntax wants a name',
    `{ elicitationHistory("${SECRET}") { total } }`,
    '{}',
    'Syntax Error: Expected Name, found String.',
  ],
  [
    'an escape that is none',
    `{ elicitations(after: "${SECRET}\\uhunt") { totalCount } }`,
    '{}',
    'Syntax Error: Invalid Unicode escape sequence.',
  ],
];

async function overHttp(query: string, variables: string): Promise<string> {
  const response = await fetch(`${room.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${room.tokens.member}` },
    body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
  });
  return response.text();
}

async function overWebSocket(query: string, variables: string): Promise<string> {
  const { socket, messages, closed } = await openRawSocket(room.url, room.tokens.member);
  const payload = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  socket.send(`{"type":"subscribe","id":"1","payload":${payload}}`);
  await eventually(() => expect(messages).not.toEqual([]));
  socket.close();
  await closed;
  return JSON.stringify(messages[0]?.payload);
}

const messagesOf = (text: string): unknown[] => {
  const body = JSON.parse(text);
  return (body.errors ?? body).map(({ message }: { message: unknown }) => message);
};

describe.each([
  ['HTTP', overHttp],
  ['WebSocket', overWebSocket],
])('a refusal over %s repeats no value', (_transport, send) => {
  it.each(WAYS)('of %s', async (_name, query, variables, said) => {
    const text = await send(query, variables);
    expect(messagesOf(text).join('\n')).toContain(said);
    for (const secret of [SECRET, NUMBER.slice(0, 8), 'hunt']) {
      expect(text).not.toContain(secret);
      expect(room.logged.join()).not.toContain(secret);
    }
  });
});

it('a subscription that is refused repeats no value', async () => {
  const text = await overWebSocket(FOLLOW, `{"id":["${SECRET}"]}`);
  expect(messagesOf(text)).toEqual(['Variable "$id" got a list: ID cannot represent value.']);
});
