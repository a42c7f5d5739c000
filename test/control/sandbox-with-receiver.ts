import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import root from 'tap';
import type { Tap } from '#core/testing';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import type { Command } from '../../sandbox/commands/command.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/compose.js';
import type { Terminal } from '../../sandbox/terminal/terminal.js';
import type { Received } from './receiver-process.js';

export interface ReceiverProcess {
  readonly url: string;
  /** The requests so far, in the order of their arrival. */
  requests(path?: string): Promise<readonly Received[]>;
}

/** Receivers that no test uses now. Starting one costs as much as half a sandbox, so they are used again. */
const free: ChildProcess[] = [];
const all: ChildProcess[] = [];
const urls = new WeakMap<ChildProcess, string>();
root.teardown(async () => {
  await Promise.all(
    all.map(async (child) => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    }),
  );
});

/** Starts a receiver in a process of its own. */
export async function startReceiver(t: Tap): Promise<ReceiverProcess> {
  const child = free.pop() ?? (await newReceiver());
  const ask = async (question: { forget?: boolean }): Promise<readonly Received[]> => {
    const answer = once(child, 'message') as Promise<[{ received: Received[] }]>;
    child.send(question);
    return (await answer)[0].received;
  };
  t.teardown(async () => {
    await ask({ forget: true });
    free.push(child);
  });
  return {
    url: urls.get(child)!,
    requests: async (path) => (await ask({})).filter((request) => path === undefined || request.path === path),
  };
}

async function newReceiver(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('./receiver-process.js', import.meta.url)), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  all.push(child);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  urls.set(child, `http://127.0.0.1:${port}`);
  return child;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a response
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: any };

export interface ControlledSandbox {
  readonly sandbox: Sandbox;
  readonly receiver: ReceiverProcess;
  readonly number: string;
  readonly token: string;
  /** The webhook `/hook` of the channel, which receives what contacts write. */
  readonly webhook: { readonly uuid: string; readonly secret: string };
  admin(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, payload?: object): Promise<Answer>;
  /** Calls the API with the token of the channel, or another. */
  call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    about?: { payload?: unknown; token?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** A contact writes. Resolves with the delivery to `/hook`, which is queued. */
  write(text: string): Promise<string>;
  /** The delivery, when it is settled or has made `attempts` attempts. */
  settled(uuid: string, attempts?: number): Promise<Answer['body']>;
  /** Runs a command as a user in the folder of the sandbox. */
  run(command: Command, ...argv: string[]): Promise<{ code: number; out: string[]; err: string[] }>;
  /** The data of events with this name. */
  events(name: string): Answer['body'][];
}

export function newFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-control-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A sandbox with a channel, whose connector is `/connector` of a receiver process, and a webhook `/hook`. */
export async function startControlled(t: Tap, options: SandboxOptions = {}, given?: ReceiverProcess): Promise<ControlledSandbox> {
  const receiver = given ?? (await startReceiver(t));
  const sandbox = await startSandbox({
    seed: {
      channels: [{ from_addr: 'web:shop', name: 'Shop', endpoint: `${receiver.url}/connector` }],
      webhooks: [{ number: 'web:shop', url: `${receiver.url}/hook`, name: 'Orders', subscriptions: ['msgapp'] }],
    },
    logLevel: 'error',
    ...options,
  });
  t.teardown(() => sandbox.stop());
  const { api, admin: control, numbers, platform } = sandbox;
  const { uuid: number, token } = numbers[0]!;
  const seen: { name: string; data: Answer['body'] }[] = [];
  platform.listen(({ name, data }) => void seen.push({ name, data: structuredClone(data) }));
  const folder = newFolder(t);
  writeRunFile(folder, { pid: process.pid, startedAt: new Date().toISOString(), api, admin: control, phone: undefined });
  const request = async (url: string, method: string, key: string | undefined, payload: unknown, more = {}): Promise<Answer> => {
    const response = await fetch(url, {
      method,
      headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), 'content-type': 'application/json', ...more },
      ...(payload !== undefined && { body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
    });
    const text = await response.text();
    const isJson = String(response.headers.get('content-type')).includes('json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  const admin: ControlledSandbox['admin'] = (method, path, payload) => request(`${control.url}${path}`, method, control.key, payload);
  const hook = sandbox.webhooks.find(({ url }) => url.endsWith('/hook'))!;

  return {
    sandbox,
    receiver,
    number,
    token,
    webhook: { uuid: hook.uuid, secret: hook.hmac_secret },
    admin,
    call: (method, path, { payload, token: other = token, headers } = {}) =>
      request(`${api}${path}`, method, other === '' ? undefined : other, payload, headers),
    async write(text) {
      const id = `in-${process.hrtime.bigint()}`;
      const message = { type: 'text', from: '+27820001001', id, timestamp: '1767600000', text: { body: text } };
      const contact = { id: '+27820001001', profile: { name: 'Ann' } };
      const { status } = await request(`${api}/v1/numbers/${number}/messages`, 'POST', token, { contact, message });
      if (status !== 200 && status !== 201) throw new Error(`the message was answered ${status}`);
      const { deliveries } = (await admin('GET', `/deliveries?webhook=${hook.uuid}&limit=1`)).body;
      return deliveries[0].uuid;
    },
    async settled(uuid, attempts = Number.POSITIVE_INFINITY) {
      for (let left = 500; left > 0; left--) {
        const { body } = await admin('GET', `/deliveries/${uuid}`);
        if (body.delivery.settled_at !== undefined || body.attempts.length >= attempts) return body;
        await sleep(10);
      }
      throw new Error(`delivery ${uuid} did not settle`);
    },
    async run(command, ...argv) {
      const printed = { out: [] as string[], err: [] as string[] };
      const terminal: Terminal = {
        out: (line) => void printed.out.push(line),
        err: (line) => void printed.err.push(line),
        isColoured: false,
        cwd: folder,
      };
      return { code: await command.run(argv, terminal), ...printed };
    },
    events: (name) => seen.filter((event) => event.name === name).map(({ data }) => data),
  };
}

export const textOf = ({ body }: Received): string => Buffer.from(body, 'base64').toString();
export const headerOf = ({ rawHeaders }: Received, name: string): string | undefined => {
  const at = rawHeaders.findIndex((header, i) => i % 2 === 0 && header.toLowerCase() === name.toLowerCase());
  return at < 0 ? undefined : rawHeaders[at + 1];
};
