/** A stream of the Anthropic Messages API, of made-up words: thinking, text in deltas of a few words, now and then a call with its result. */
export function* syntheticStream(bytes: number, name: string): Generator<string> {
  let written = 0;
  for (let number = 0; written < bytes; number += 1) {
    const message = messageOf(name, number);
    written += Buffer.byteLength(message);
    yield message;
  }
}

const WORDS =
  'the water of a drained bog runs off by ditches and its peat decays over many dry summers into dust'.split(
    ' ',
  );
const DELTAS = 60;
/** Every so many messages one uses a tool. */
const CALLS = 4;

function messageOf(name: string, number: number): string {
  const hasCall = number % CALLS === 0;
  return [
    {
      type: 'message_start',
      message: { id: `msg_${name}_${number}`, type: 'message', role: 'assistant', content: [] },
    },
    ...thinking(),
    ...text(number),
    ...(hasCall ? call(name, number) : []),
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 500 },
    },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

const delta = (index: number, given: object) => ({ type: 'content_block_delta', index, delta: given });

const thinking = () => [
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  ...WORDS.map((word) => delta(0, { type: 'thinking_delta', thinking: `${word} ` })),
  delta(0, { type: 'signature_delta', signature: 'x'.repeat(300) }),
  { type: 'content_block_stop', index: 0 },
];

const text = (number: number) => [
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  ...Array.from({ length: DELTAS }, (_, at) =>
    delta(1, {
      type: 'text_delta',
      text: `${wordAt(number * 7 + at)} ${wordAt(number + at * 3)} ${number} `,
    }),
  ),
  { type: 'content_block_stop', index: 1 },
];

const wordAt = (at: number): string => WORDS[at % WORDS.length] ?? '';

const call = (name: string, number: number) => {
  const id = `srvtoolu_${name}_${number}`;
  const result = {
    type: 'bash_code_execution_result',
    stdout: 'ok '.repeat(50),
    stderr: '',
    return_code: 0,
    content: [],
  };
  return [
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'server_tool_use', id, name: 'bash_code_execution', input: {} },
    },
    delta(2, { type: 'input_json_delta', partial_json: '{"command": "ls -l ' }),
    delta(2, { type: 'input_json_delta', partial_json: 'levels"}' }),
    { type: 'content_block_stop', index: 2 },
    {
      type: 'content_block_start',
      index: 3,
      content_block: { type: 'bash_code_execution_tool_result', tool_use_id: id, content: result },
    },
    { type: 'content_block_stop', index: 3 },
  ];
};
