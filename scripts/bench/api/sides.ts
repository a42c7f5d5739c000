import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { Pool } from 'undici';
import { quiet } from '../measuring/cpu.js';
import type { Receiver } from '../measuring/receiver.js';
import { type Cost, costOf, endChild, inParallel, messageOf, type Side } from '../measuring/rounds.js';
import { phone } from './phones.js';
import type { Ready } from './server-process.js';

export interface Round extends Cost {
  /** Until the last response; `ms` ends with the last delivery. */
  readonly answeredMs: number;
}

export interface Call {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly token: string;
  readonly body: object;
}

const sent = (token: string, n: number): Call => ({
  method: 'POST',
  path: '/v1/messages',
  token,
  body: { to: `+${phone(n)}`, type: 'text', text: { body: 'an answer about opening hours' } },
});

/** A call with a text that a contact writes to a channel. */
export const inbound = ({ channel, tokens }: Ready, n: number, text: string): Call => ({
  method: 'POST',
  path: `/v1/numbers/${channel}/messages`,
  token: tokens.channel,
  body: {
    contact: { id: phone(n), profile: { name: 'Ann' } },
    message: { type: 'text', from: phone(n), id: `in-${n}`, timestamp: '1767600000', text: { body: text } },
  },
});

export const calls = {
  'inbound channel message': (ready: Ready, n: number) => inbound(ready, n, 'a question about opening hours'),
  send: ({ tokens }: Ready, n: number) => sent(tokens.network, n),
  // The reports of the simulated phones are work of the local network; the case above includes them.
  'send, nothing reported': ({ tokens }: Ready, n: number) => sent(tokens.unreported, n),
  mark: ({ tokens }: Ready, n: number): Call => ({
    method: 'PUT',
    path: `/v1/messages/inbound-${n}`,
    token: tokens.network,
    body: { status: 'read' },
  }),
} satisfies Record<string, (ready: Ready, n: number) => Call>;

export type CallName = keyof typeof calls;

export const modes = {
  ours: 'posthorn',
  'ours without a webhook': 'posthorn without a webhook',
  'ours recording': 'posthorn with recorded calls and deliveries, and fault matching',
  least: 'minimal durability',
  documents: 'minimal documents',
  bare: 'bare hapi',
} as const;

export type Mode = keyof typeof modes;

export interface Started {
  readonly child: ChildProcess;
  readonly ready: Ready;
}

export interface ServerOptions {
  /** Unread messages. */
  readonly marks?: number;
  /** How many settled deliveries our platform keeps, and has when it is started. */
  readonly history?: number;
  readonly execArgv?: readonly string[];
}

export async function startServer(
  mode: Mode,
  receiver: Receiver,
  { marks = 0, history = 0, execArgv = [] }: ServerOptions = {},
): Promise<Started> {
  const script = mode.startsWith('ours') ? 'ours' : mode;
  const webhook = mode === 'ours without a webhook' ? '' : receiver.url;
  const args = [script, webhook, String(marks), String(history), ...(mode === 'ours recording' ? ['recording'] : [])];
  const child = fork(join(import.meta.dirname, 'server-process.js'), args, { execArgv: [...execArgv] });
  const ready = await messageOf<Ready>(child, modes[mode]);
  await receiver.expectSignatures(ready.secrets);
  if (script === 'ours' && webhook !== '' && history > 0) {
    const target = (await receiver.count()) + history;
    const filled = messageOf(child, modes[mode]);
    child.send('fill');
    await Promise.all([filled, receiver.reached(target)]);
  }
  return { child, ready };
}

/** Makes one call. @throws when the server does not respond 200 */
export async function request(pool: Pool, { method, path, token, body }: Call): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await pool.request({ method, path, headers, body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path} got ${answer.statusCode}: ${text}`);
}

export interface Load {
  readonly requests: number;
  readonly connections: number;
}

/** A server that gets `requests` calls of one kind in each round. A round ends when all deliveries that they cause have arrived. */
export function sideOf(name: CallName, mode: Mode, { child, ready }: Started, receiver: Receiver, load: Load): Side<Round> {
  const pool = new Pool(`http://127.0.0.1:${ready.port}`, { connections: load.connections, pipelining: 1 });
  let first = 0;
  /** The deliveries that one call causes; the warm-up round counts them. */
  let perCall: number | undefined;
  const callAll = () => inParallel(load.requests, load.connections, (n) => request(pool, calls[name](ready, first + n)));
  return {
    name: mode,
    async round() {
      const before = await receiver.count();
      let answeredMs = 0;
      const cost = await costOf([child.pid!], async () => {
        const began = performance.now();
        await callAll();
        answeredMs = performance.now() - began;
        if (perCall !== undefined) await receiver.reached(before + perCall * load.requests);
      });
      first += load.requests;
      perCall ??= await deliveriesPerCall(before);
      return { ...cost, answeredMs };
    },
    async stop() {
      await pool.close();
      await endChild(child);
    },
  };

  async function deliveriesPerCall(before: number): Promise<number> {
    for (let last = -1, now = await receiver.count(); now !== last; now = await receiver.count()) {
      last = now;
      await quiet([child.pid!]);
    }
    const per = ((await receiver.count()) - before) / load.requests;
    if (!Number.isInteger(per)) throw new Error(`${load.requests} calls of '${name}' to ${modes[mode]} caused ${per} deliveries each`);
    return per;
  }
}
