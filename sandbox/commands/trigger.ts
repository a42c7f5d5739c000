import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { resolve } from 'node:path';
import { publicGet } from '../client/admin-client.js';
import { requireRun } from '../client/run-file.js';
import { statusOf } from '../client/status.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { escapeControls } from '../terminal/escape.js';
import { didYouMean, numeric, pairs, readFlags, text, texts, toggle, UsageError } from '../terminal/flags.js';
import { printTable } from '../terminal/table.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

const TIMEOUT_MS = 5_000;
const SHOWN_BYTES = 4_096;

const flags = {
  set: pairs('PATH=VALUE', 'change a field of the body, such as messages.0.text.body=hi; repeatable'),
  remove: texts('PATH', 'remove a field of the body; repeatable'),
  body: text('FILE', 'send this file instead of the example, byte by byte unless --set or --remove; -: standard input'),
  times: numeric('N', 'send it N times (default 1)', { from: 1, to: 10_000, integer: true }),
  webhook: text('UUID', 'the webhook of the sandbox to send to (default: the first that subscribes to the event)'),
  url: text('URL', 'send to this URL instead'),
  secret: text('SECRET', 'sign with this secret (default: that of the webhook)'),
  'dry-run': toggle('print the body and its signature without sending them'),
  json: toggle('print the events, or each response, as one line of JSON'),
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const trigger: Command = {
  summary: 'sends an example of an event, signed, to a webhook or a URL',
  usage: 'trigger [EVENT] [flags]',
  examples: ['trigger', 'trigger EVENT --times 3', 'trigger EVENT --dry-run'],
  notes: [
    'Without EVENT, trigger lists the events. The example of each event is the one in the API reference.',
    'Nothing is recorded: your endpoint receives it once, without retries.',
    'Exit codes: 0 every response was 2XX, 1 another response or none, 2 wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const run = requireRun(terminal.cwd);
    const events = eventsIn(await publicGet(run, '/openapi.json'));
    const [name, ...more] = positionals;
    if (name === undefined) {
      const listed = events.map(({ name, subscription, summary }) => ({ name, subscription, summary }));
      if (values.json) terminal.out(JSON.stringify({ v: 1, events: listed }));
      else
        printTable(
          listed.map(({ name, subscription = '-', summary }) => [{ text: name, isKey: true }, subscription, summary]),
          terminal,
        );
      return exit.ok;
    }
    const event = events.find((one) => one.name === name);
    const known = events.map(({ name }) => name);
    if (!event) throw new UsageError(`trigger takes one of ${known.join(', ')}, not '${name}'${didYouMean(name, known)}`);
    if (more.length > 0) throw new UsageError(`trigger takes one event, not ${more.length + 1}`);
    const body = bodyOf(event, values, terminal.cwd);
    const { url, secret } = await targetOf(run, event, values);
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Posthorn',
      ...event.headers(createHmac('sha256', secret).update(body).digest('base64')),
    };
    if (values['dry-run']) {
      for (const [header, value] of Object.entries(headers)) terminal.err(`${header}: ${value}`);
      terminal.out(body);
      return exit.ok;
    }
    const times = values.times ?? 1;
    const unanswered: string[] = [];
    let code: number = exit.ok;
    for (let i = 0; i < times; i++) {
      const outcome = await send(url, headers, body, values, terminal);
      if (outcome instanceof Error) unanswered.push(outcome.message);
      else if (!outcome) code = exit.failed;
    }
    if (unanswered.length === 0) return code;
    const count = times === 1 ? '' : ` ${unanswered.length} of ${times} times`;
    throw new CommandFailed(`${url} did not respond${count}: ${unanswered[0]}`, { code: 'unreachable', result: { url } });
  },
};

interface TriggerEvent {
  readonly name: string;
  readonly summary: string;
  readonly subscription: string | undefined;
  readonly example: unknown;
  headers(signature: string): Record<string, string>;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required: boolean;
  readonly schema: { readonly enum?: readonly string[] };
}

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Document {
  readonly webhooks: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly summary: string;
          readonly parameters: readonly Parameter[];
          readonly requestBody: { readonly content: Readonly<Record<string, Media>> };
        };
      }
    >
  >;
}

function eventsIn(document: unknown): TriggerEvent[] {
  return Object.entries((document as Document).webhooks).map(([name, { post }]) => {
    const required = post.parameters.filter((parameter) => parameter.in === 'header' && parameter.required);
    const { example, examples } = post.requestBody.content['application/json']!;
    return {
      name,
      summary: post.summary,
      subscription: required.find(({ schema }) => schema.enum)?.schema.enum?.[0],
      example: example ?? Object.values(examples ?? {})[0]?.value,
      headers: (signature) =>
        Object.fromEntries(
          required.map(({ name, schema }) => [name, schema.enum?.[0] ?? (name.endsWith('-Signature') ? signature : 'wamid.example')]),
        ),
    };
  });
}

function bodyOf({ example }: TriggerEvent, { body: file, set = {}, remove = [] }: Values, cwd: string): string {
  const given = file === undefined ? undefined : read(file, cwd);
  if (given !== undefined && Object.keys(set).length === 0 && remove.length === 0) return given;
  const body = given === undefined ? structuredClone(example) : parse(given, file!);
  for (const [path, value] of Object.entries(set)) change(body, path, (parent, key) => (parent[key] = value));
  for (const path of remove) {
    change(body, path, (parent, key) => (Array.isArray(parent) ? parent.splice(Number(key), 1) : delete parent[key]));
  }
  return JSON.stringify(body);
}

function read(file: string, cwd: string): string {
  try {
    return readFileSync(file === '-' ? 0 : resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Changes the field at a path. Numbers in a path are indexes of lists; missing objects are created. @throws UsageError */
function change(body: unknown, path: string, apply: (parent: Record<string, unknown>, key: string) => void): void {
  const keys = path.split('.');
  let parent = body as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) {
    if (!Object.hasOwn(parent, key))
      Object.defineProperty(parent, key, { value: {}, writable: true, enumerable: true, configurable: true });
    const next = parent[key];
    if (typeof next !== 'object' || next === null) throw new UsageError(`${path}: ${key} is ${JSON.stringify(next)} and has no fields`);
    parent = next as Record<string, unknown>;
  }
  const last = keys.at(-1)!;
  if (keys.includes('__proto__')) throw new UsageError(`${path} is not a path`);
  apply(parent, last);
}

async function targetOf(run: Parameters<typeof statusOf>[0], { name, subscription }: TriggerEvent, { url, secret, webhook }: Values) {
  if (url !== undefined && secret !== undefined) return { url, secret };
  const status = await statusOf(run);
  const webhooks =
    'channels' in status
      ? [...status.channels.map(({ webhook, endpoint }) => ({ ...webhook, url: endpoint, subscriptions: ['channel'] })), ...status.webhooks]
      : [];
  const found = webhooks.find(({ uuid, subscriptions }) =>
    webhook === undefined ? subscription !== undefined && subscriptions.includes(subscription) : uuid === webhook,
  );
  if (!found)
    throw new UsageError(
      webhook === undefined
        ? `the seed has no webhook for ${name}; say where to send it: --url URL --secret SECRET`
        : `webhook ${webhook} is not in the seed, so its secret is unknown; say where to send it: --url URL --secret SECRET`,
    );
  return { url: url ?? found.url, secret: secret ?? found.hmac_secret };
}

/** Sends with the header names in these letters, as deliveries do. @returns whether the response was 2XX, or why there was none */
async function send(
  url: string,
  headers: Record<string, string>,
  body: string,
  { json }: Values,
  { out }: Terminal,
): Promise<boolean | Error> {
  const startedAt = performance.now();
  try {
    const { status, text } = await post(url, headers, body);
    const ms = Math.round(performance.now() - startedAt);
    out(json ? JSON.stringify({ v: 1, url, status, ms, response: text }) : `${status}  ${ms} ms  ${url}`);
    if (!json && text !== '') out(`  ${escapeControls(text)}`);
    return status >= 200 && status < 300;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function post(url: string, headers: Record<string, string>, body: string): Promise<{ status: number; text: string }> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request(
      url,
      { method: 'POST', headers, signal: AbortSignal.timeout(TIMEOUT_MS) },
      (response: IncomingMessage) => {
        let text = '';
        response.setEncoding('utf8').on('data', (data: string) => (text = `${text}${data}`.slice(0, SHOWN_BYTES)));
        response.on('end', () => resolve({ status: response.statusCode!, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
