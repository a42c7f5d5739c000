import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownCommand } from '../../core/own-command.js';
import { adminGet } from '../client/admin-client.js';
import { signInUrl } from '../client/console.js';
import type { DeliveryDetails } from '../client/deliveries.js';
import type { RunFile } from '../client/run-file.js';
import type { Command } from '../commands/command.js';
import type { Sandbox } from '../compose.js';
import type { Terminal } from '../terminal/terminal.js';

export interface TourEvent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: every event has its own shape, and steps read a few fields of some
  readonly data: any;
}

const POLL_MS = 50;

/** Steps of a tour act on its sandbox and its folder, with the commands. */
export interface TourContext {
  readonly sandbox: Sandbox;
  readonly folder: string;
  /** The token of the channel. */
  readonly token: string;
  /** A path in the folder, as the user writes it in a command. */
  shown(name: string): string;
  /** Whether a command calls the sandbox, so that it has `--url`. */
  callsSandbox(command: readonly string[]): boolean;
  /** Runs a command here. @returns its exit code */
  run(argv: readonly string[], how?: { readonly isQuiet?: boolean; readonly isShown?: boolean }): Promise<number>;
  /** Resolves with the first event of this name since the step began for which `holds`. */
  next(name: string, holds: (event: TourEvent) => boolean): Promise<TourEvent>;
  /** Whether such an event has occurred since the step began. */
  seen(holds: (event: TourEvent) => boolean): boolean;
  until(holds: () => boolean): Promise<void>;
  signIn(): Promise<string>;
  /** The uuid of the conversation of the newest message. */
  conversation(): string;
  /** The newest delivery to the webhook receiver, with its body and the secret of its webhook. */
  delivery(): Promise<{ readonly uuid: string; readonly secret: string; readonly body: string }>;
  /** Starts the connector that `posthorn connector new` writes. */
  startConnector(): Promise<{ readonly url: string; readonly secret: string; readonly channel: string }>;
  /** Discards the events of the previous step. */
  begin(): void;
  /** Ends the connector, and all waiting. */
  close(): Promise<void>;
}

interface PlaceOptions {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly terminal: Terminal;
  readonly commands: Readonly<Record<string, Command>>;
  readonly signal: AbortSignal;
}

export function openPlace({ sandbox, folder, terminal, commands, signal: aborted }: PlaceOptions): TourContext {
  const closed = new AbortController();
  const signal = AbortSignal.any([aborted, closed.signal]);
  const { api, admin } = sandbox;
  const file: RunFile = { pid: process.pid, startedAt: '', api, admin };
  const listeners = new Set<(event: TourEvent) => void>();
  let events: TourEvent[] = [];
  let conversation = '';
  let connector: ChildProcess | undefined;
  sandbox.platform.listen((event) => {
    const { name, data } = event as TourEvent;
    if (name === 'message.received') conversation = data.message.conversation;
    events.push({ name, data });
    for (const listener of listeners) listener({ name, data });
  });
  const { uuid: channel } = sandbox.channels[0]!;
  const { token } = sandbox.numbers.find(({ uuid }) => uuid === channel)!;
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await sleep(POLL_MS, undefined, { signal });
  };

  return {
    sandbox,
    folder,
    token,
    shown: (name) => join(relative(terminal.cwd, folder), name),
    callsSandbox: ([name = '', verb]) => ['send', 'fault', 'clock'].includes(name) || (name === 'test' && verb === 'record'),
    async run([name = '', ...argv], { isQuiet = false, isShown = false } = {}) {
      if (!isQuiet && isShown) terminal.out(`  $ ${ownCommand()} ${[name, ...argv].map(word).join(' ')}`);
      const silent = { ...terminal, out: () => undefined, err: () => undefined, file: () => undefined };
      return commands[name]!.run(argv, isQuiet ? silent : terminal, commands);
    },
    next(name, holds) {
      const wanted = (event: TourEvent): boolean => event.name === name && holds(event);
      const known = events.find(wanted);
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => {
        const listener = (event: TourEvent): void => {
          if (!wanted(event)) return;
          listeners.delete(listener);
          resolve(event);
        };
        listeners.add(listener);
      });
    },
    seen: (holds) => events.some(holds),
    until,
    signIn: () => signInUrl(file),
    conversation: () => conversation,
    async delivery() {
      const { deliveries } = (await adminGet(file, '/deliveries?limit=50')) as { deliveries: { uuid: string; webhook: string }[] };
      for (const { uuid, webhook } of deliveries) {
        const secret = sandbox.webhooks.find((one) => one.uuid === webhook)?.hmac_secret;
        if (secret === undefined) continue;
        const { body } = (await adminGet(file, `/deliveries/${uuid}`)) as DeliveryDetails;
        return { uuid, secret, body };
      }
      throw new Error('the receiver has no delivery yet');
    },
    async startConnector() {
      const secret = 'a-secret-of-the-tour';
      const environment = { POSTHORN_API: api, POSTHORN_NUMBER: channel, POSTHORN_TOKEN: token, POSTHORN_SECRET: secret, PORT: '0' };
      connector = fork(fileURLToPath(new URL('../starters/connector.js', import.meta.url)), [], {
        stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
        execArgv: [],
        env: { PATH: process.env.PATH ?? '', ...environment },
        detached: true,
      });
      const [line] = (await once(connector.stdout!.setEncoding('utf8'), 'data', { signal })) as [string];
      return { url: /http:\S+/.exec(line)![0], secret, channel };
    },
    begin() {
      events = [];
    },
    async close() {
      closed.abort();
      if (!connector || connector.exitCode !== null || connector.signalCode !== null) return;
      const ended = once(connector, 'exit');
      connector.kill();
      await ended;
    },
  };
}

/** An argument as a word of a shell. */
export const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `"${text.replace(/["$`\\]/g, '\\$&')}"`);
