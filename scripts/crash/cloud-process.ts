// Sends over the Cloud API until it is killed, and prints what becomes of each message: node cloud-process.js <settings as JSON>
import { setTimeout as sleep } from 'node:timers/promises';
import { type CloudSettings, contactOf, startCloudPlatform } from './cloud-platform.js';

/** Messages of a contact that may wait for the network. The load adapts to what the network accepts, and some messages always wait. */
const MAX_PENDING = 3;
const PAUSE_MS = 5;
/** One of so many messages is not valid. */
const INVALID_EVERY = 5;

const { next, ...settings } = JSON.parse(process.argv[2]!) as CloudSettings & { readonly next: readonly number[] };
const print = (word: string, text: string): void => void process.stdout.write(`${word} ${text}\n`);
const { send, pending } = await startCloudPlatform(settings, (texts) => {
  for (const text of texts) print('pending', text);
});
await Promise.all(
  next.map(async (first, contact) => {
    const to = contactOf(contact);
    for (let n = first; ; n++) {
      while ((await pending(to, MAX_PENDING)) >= MAX_PENDING) await sleep(PAUSE_MS);
      const text = `${contact}:${n}`;
      print('offered', text);
      const status = await send(to, (n + contact) % INVALID_EVERY === 0 ? '' : text);
      print(status === 200 ? 'acknowledged' : 'refused', text);
      process.stderr.write(`${text}\n`);
    }
  }),
);
