// A platform with a channel that sends until it is killed: node channel-process.js <settings as JSON>
import { setTimeout as sleep } from 'node:timers/promises';
import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import { email } from '../../plugins/email/plugin.js';
import { sms } from '../../plugins/sms/plugin.js';
import { telegram } from '../../plugins/telegram/plugin.js';

const plugins = { email, sms, telegram } as const;

/** Settings that the processes of a run share. */
export interface ChannelSettings {
  readonly folder: string;
  readonly channel: keyof typeof plugins;
  /** Of the plugin, with the number to connect. */
  readonly options: object;
  /** The port on which the platform is called. */
  readonly port: number;
  /** Ids of contacts. */
  readonly people: readonly string[];
  /** The number of the next message to each person. Without it, nothing is sent. */
  readonly next?: readonly number[];
}

/** Services take about one message in a second to a person, so all that are sent must be few. */
const PAUSE_MS = 100;
const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;

/** Starts a platform with the number. */
export async function startChannelPlatform({ folder, channel, options, port }: ChannelSettings) {
  const platform = createPlatform({
    dataDir: folder,
    plugins: [plugins[channel](options)],
    privateTargets: 'allow',
    publicUrl: `http://127.0.0.1:${port}`,
    ports: { log: new RecordingLogger() },
  });
  const server = Hapi.server({ port, host: '127.0.0.1' });
  await server.register(platform.hapiPlugin);
  await server.start();
  const number = (await platform.numbers.list()).find(({ type }) => type === channel);
  if (!number) throw new Error('the number was not connected');
  return {
    platform,
    server,
    number,
    /** Sends a text. Resolves when the message is on disk. */
    send: (to: string, body: string) =>
      platform.store.transaction((tx) =>
        platform.channels.sendTo(tx, number, { id: to, address: to }, { turn: { type: 'text', text: { body } }, author }),
      ),
  };
}

/** The script of a process. */
async function run(settings: ChannelSettings & { readonly next: readonly number[] }): Promise<void> {
  const { send } = await startChannelPlatform(settings);
  process.stderr.write('started\n');
  await Promise.all(
    settings.people.map(async (person, i) => {
      for (let n = settings.next[i]!; ; n++) {
        const text = `${person}:${n}`;
        process.stdout.write(`offered ${text}\n`);
        await send(person, text);
        process.stdout.write(`acknowledged ${text}\n`);
        await sleep(PAUSE_MS * (1 + (n % 3)));
      }
    }),
  );
}

const given = process.argv[2];
if (given?.startsWith('{') && process.argv[1]?.endsWith('channel-process.js')) await run(JSON.parse(given) as Parameters<typeof run>[0]);
