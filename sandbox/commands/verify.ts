import { adminSend } from '../client/admin-client.js';
import { findRunFile } from '../client/run-file.js';
import { explanationLines, fixLines, type SignatureExplained } from '../reports/signature-report.js';
import { oneOf, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { readInput } from '../terminal/input-files.js';
import { painter } from '../terminal/painter.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const flags = {
  signature: text('TEXT', 'the signature to check: the value of the header, or what your code computed'),
  secret: text('TEXT', 'the hmac_secret of the webhook (default: POSTHORN_SECRET)'),
  body: text('FILE', 'the body, byte by byte; -: standard input (the default)'),
  delivery: text('UUID', 'the body and the secret of this delivery of the running sandbox'),
  webhook: text('UUID', 'the secret of this webhook of the running sandbox'),
  explain: toggle('print how the signature is made, and which mistake gives this one'),
  framework: {
    ...oneOf(['express', 'fastify', 'hapi', 'flask', 'go'], 'print the fix as code for express, fastify, hapi, flask or go'),
    takes: 'NAME',
  },
  json: toggle('print the result as one line of JSON'),
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const verify: Command = {
  summary: 'checks the signature of a body, and explains a mismatch',
  usage: 'verify --signature TEXT [flags]',
  examples: ['verify --delivery UUID --signature TEXT --explain', 'verify --body body.json --secret SECRET --signature TEXT'],
  notes: [
    'Exit code 0: the signature matches; 1: it does not. --explain finds hex, base64url, missing',
    'padding, SHA-1, SHA-512, a body that was parsed and serialized again or indented, a line break',
    'at the end, a decoded secret and, in a running sandbox, the secret of another webhook.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`verify takes flags only, not '${positionals[0]}'`);
    if (values.signature === undefined) throw new UsageError('verify needs --signature');
    const explained = await explain(values.signature, values, terminal);
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...explained }));
    else if (values.explain || values.framework) {
      const paint = painter(terminal.isColoured);
      const fix = explained.diagnosis?.fixes.find(({ framework }) => framework === values.framework);
      for (const line of [...explanationLines(explained, paint), ...(fix ? fixLines(fix, paint) : [])]) terminal.out(line);
    } else terminal.out(explained.matches ? 'The signature matches.' : 'The signature does not match; --explain tells why.');
    return explained.matches ? exit.ok : exit.failed;
  },
};

async function explain(signature: string, values: Values, terminal: Terminal): Promise<SignatureExplained> {
  const { delivery, webhook, body: file, secret = process.env.POSTHORN_SECRET } = values;
  if (delivery !== undefined || webhook !== undefined) {
    if (values.secret !== undefined) throw new UsageError('--secret is not needed with --delivery or --webhook, whose secret is used');
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const body =
      file === undefined && delivery !== undefined ? {} : { body_base64: readInput(file ?? '-', terminal.cwd).toString('base64') };
    const request = { signature, ...body, ...(delivery !== undefined && { delivery }), ...(webhook !== undefined && { webhook }) };
    return (await adminSend(run, 'POST', '/signatures/explain', request)) as SignatureExplained;
  }
  if (!secret) throw new UsageError('verify needs --secret, POSTHORN_SECRET, --webhook or --delivery');
  const { explainSignature } = await import('../../plugins/webhooks/plugin.js');
  return explainSignature({ body: readInput(file ?? '-', terminal.cwd), secret, signature });
}
