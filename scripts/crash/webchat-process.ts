// A platform with a web chat that is killed: node webchat-process.js <settings as JSON>
import { setTimeout as sleep } from 'node:timers/promises';
import { server as createServer } from '@hapi/hapi';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import { webchat } from '../../plugins/webchat/plugin.js';

/** The settings that the processes of a run share. */
export interface WebchatSettings {
  readonly folder: string;
  readonly port: number;
  /** The visitors to whom the process sends, and the number of the next message to each. */
  readonly next: Readonly<Record<string, number>>;
}

const PAUSE_MS = 15;
const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;

/** Serves a platform with a web chat. */
export async function startWebchatPlatform({ folder, port }: Pick<WebchatSettings, 'folder' | 'port'>) {
  const platform = createPlatform({
    dataDir: folder,
    plugins: [webchat({ numbers: [{ key: 'crash' }], sessionsPerMinute: 1_000 })],
    ports: { log: new RecordingLogger() },
  });
  const server = createServer({ port, host: '127.0.0.1' });
  await server.register(platform.hapiPlugin);
  await server.start();
  const number = (await platform.numbers.list()).find(({ type }) => type === 'webchat');
  if (!number) throw new Error('the web chat was not connected');
  return { platform, server, number };
}

/** The script of a process: it sends until it is killed. */
async function run(settings: WebchatSettings): Promise<void> {
  const { platform, number } = await startWebchatPlatform(settings);
  process.stderr.write('started\n');
  process.stdout.write(`number ${number.uuid}\n`);
  await Promise.all(
    Object.entries(settings.next).map(async ([visitor, first]) => {
      for (let n = first; ; n++) {
        process.stdout.write(`offered ${visitor} ${n}\n`);
        const turn = { type: 'text', text: { body: `out ${n}` } } as const;
        const who = { id: visitor, address: visitor };
        await platform.store.transaction((tx) => platform.channels.sendTo(tx, number, who, { turn, author }));
        process.stdout.write(`acknowledged ${visitor} ${n}\n`);
        await sleep(PAUSE_MS);
      }
    }),
  );
}

const given = process.argv[2];
if (given?.startsWith('{') && process.argv[1]?.endsWith('webchat-process.js')) await run(JSON.parse(given) as WebchatSettings);
