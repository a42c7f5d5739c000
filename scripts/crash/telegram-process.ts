// A platform with a Telegram bot that sends until it is killed: node telegram-process.js <settings as JSON>
import { setTimeout as sleep } from 'node:timers/promises';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import { telegram } from '../../plugins/telegram/plugin.js';

/** The settings that the processes of a run share. */
export interface TelegramSettings {
  readonly folder: string;
  readonly token: string;
  readonly apiUrl: string;
  readonly people: readonly number[];
  /** The number of the next message to each person. Without it, nothing is sent. */
  readonly next?: readonly number[];
}

/** Telegram takes about one message in a second to a person, so all that are sent must be few. */
const PAUSE_MS = 100;
const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;

/** Starts a platform with the bot. */
export async function startTelegramPlatform({ folder, token, apiUrl }: TelegramSettings) {
  const platform = createPlatform({
    dataDir: folder,
    plugins: [telegram({ bots: [{ token, api_url: apiUrl }], messagesPerSecond: 1_000 })],
    privateTargets: 'allow',
    ports: { log: new RecordingLogger() },
  });
  await platform.start();
  const number = (await platform.numbers.list()).find(({ type }) => type === 'telegram');
  if (!number) throw new Error('the bot was not connected');
  return {
    platform,
    number,
    /** Sends a text. Resolves when the message is on disk. */
    send: (to: number, body: string) =>
      platform.store.transaction((tx) =>
        platform.channels.sendTo(tx, number, { id: String(to), address: String(to) }, { turn: { type: 'text', text: { body } }, author }),
      ),
  };
}

/** The script of a process. */
async function run(settings: TelegramSettings & { readonly next: readonly number[] }): Promise<void> {
  const { send } = await startTelegramPlatform(settings);
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
if (given?.startsWith('{') && process.argv[1]?.endsWith('telegram-process.js')) await run(JSON.parse(given) as Parameters<typeof run>[0]);
