import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Receiver } from '../measuring/receiver.js';
import { type Cost, costOf, endChild, messageOf, type Side } from '../measuring/rounds.js';
import type { Accepted, Mode, Ready } from './side-process.js';

export interface Round extends Cost {
  readonly loopP99Ms: number;
}

const names: Readonly<Record<Mode, string>> = {
  floor: 'floor: undici Pool and HMAC, nothing stored',
  deadline: 'the same with a deadline for each request',
  journal: 'minimal durability: file and loop',
  posthorn: 'posthorn',
};

/** A process that sends `count` events to the receiver in each round. A round ends when all have arrived. */
export async function startSide(mode: Mode, receiver: Receiver, count: number, execArgv: readonly string[] = []): Promise<Side<Round>> {
  const child = fork(join(import.meta.dirname, 'side-process.js'), [mode, receiver.url], { execArgv: [...execArgv] });
  const { secrets } = await messageOf<Ready>(child, names[mode]);
  await receiver.expectSignatures(secrets);
  return {
    name: mode,
    async round() {
      const target = (await receiver.count()) + count;
      let loopP99Ms = Number.NaN;
      const cost = await costOf([child.pid!], async () => {
        const accepted = messageOf<Accepted>(child, names[mode]);
        child.send(count);
        [{ loopP99Ms }] = await Promise.all([accepted, receiver.reached(target)]);
      });
      return { ...cost, loopP99Ms };
    },
    stop: () => endChild(child),
  };
}

export const nameOf = (mode: string): string => names[mode as Mode];
