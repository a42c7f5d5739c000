import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { readInput } from '../terminal/input-files.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  secret: text('TEXT', 'the hmac_secret of the webhook (default: POSTHORN_SECRET)'),
  body: text('FILE', 'the body, byte by byte; -: standard input (the default)'),
  json: toggle('print the signature and the steps as one line of JSON'),
};

export const sign: Command = {
  summary: 'prints the signature of a body',
  usage: 'sign [flags]',
  examples: ['sign --body body.json --secret SECRET'],
  notes: [
    'The signature is the base64 of the HMAC-SHA256 of the bytes; the key is the UTF-8 of the secret.',
    'The bytes count: printf adds no line break, and echo does.',
    '  printf \'{"a":1}\' | npx posthorn sign --secret SECRET',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`sign takes flags only, not '${positionals[0]}'`);
    const { secret = process.env.POSTHORN_SECRET, body: file = '-', json } = values;
    if (!secret) throw new UsageError('sign needs --secret, or the secret in POSTHORN_SECRET');
    const { signatureOf, signatureSteps } = await import('#core');
    const body = readInput(file, terminal.cwd);
    const signature = signatureOf(secret, body);
    terminal.out(json ? JSON.stringify({ v: 1, signature, steps: signatureSteps(body, signature, { secret }) }) : signature);
    return exit.ok;
  },
};
