import { SERVER_OPTIONS } from './server.js';
import type { Command } from './usage.js';

export const IMPORT: Command = {
  name: 'import',
  operand: 'DIR|FILE…',
  about:
    'Make a session of each recording or transcript. Given again, it goes on where it was broken off, and adds what is new.',
  options: {
    account: { value: 'ID', about: "Who is to own the sessions; by default the demo's member." },
    format: { value: 'NAME', about: 'What the files are; by default each is recognised.' },
    url: {
      value: 'URL',
      about: 'A server to send them to, over HTTP; by default the database of the environment.',
    },
    token: SERVER_OPTIONS.token,
  },
  // Loaded only now: no other command needs the formats.
  run: async (given, env) => (await import('./importing.js')).importAll(given, env),
};
