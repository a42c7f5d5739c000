// Posts deliveries until it is killed, and prints each acknowledged one: node deliverer.js <folder> <url> <next numbers as JSON>
import { setTimeout as sleep } from 'node:timers/promises';
import { RecordingLogger } from '#core/testing';
import { postTo, startDelivering } from './delivering.js';

/** So that the endpoint keeps up. */
const PAUSE_MS = 2;

const [folder, url, nextText] = process.argv.slice(2);
const platform = await startDelivering(folder!, new RecordingLogger());
const webhook = await postTo(platform, url!);
const next = JSON.parse(nextText!) as number[];
let isWriting = false;
await Promise.all(
  next.map(async (first, conversation) => {
    for (let n = first; ; n++) {
      const request = {
        event: `${conversation}:${n}`,
        webhook,
        kind: 'network',
        conversation: `${conversation}`,
        body: { conversation, n },
      } as const;
      await platform.store.transaction((tx) => platform.deliveries.post(tx, request));
      process.stdout.write(`${conversation} ${n}\n`);
      if (!isWriting) process.stderr.write('writing\n');
      isWriting = true;
      await sleep(PAUSE_MS);
    }
  }),
);
