// Sends over the Cloud API until it is killed, and prints each acknowledged message: node cloud-process.js <settings as JSON>
import { setTimeout as sleep } from 'node:timers/promises';
import { type CloudSettings, contactOf, startCloudPlatform } from './cloud-platform.js';

/** So that the stand-in and the disk keep up. */
const PAUSE_MS = 5;

const { next, ...settings } = JSON.parse(process.argv[2]!) as CloudSettings & { readonly next: readonly number[] };
const { send } = await startCloudPlatform(settings);
let isWriting = false;
await Promise.all(
  next.map(async (first, contact) => {
    for (let n = first; ; n++) {
      await send(contactOf(contact), `${contact}:${n}`);
      process.stdout.write(`${contact} ${n}\n`);
      if (!isWriting) process.stderr.write('writing\n');
      isWriting = true;
      await sleep(PAUSE_MS);
    }
  }),
);
