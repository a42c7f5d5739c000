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
  serial: 'the same, one after the other',
  deadline: 'the floor with a deadline for each request',
  journal: 'minimal durability: file and loop',
  posthorn: 'posthorn',
  lane: 'posthorn, one webhook with one conversation',
};

/** How many settled deliveries a platform keeps, and how many it has settled before the first round. */
export interface History {
  readonly kept: number;
  readonly settled: number;
}

export interface SideOptions {
  readonly execArgv?: readonly string[];
  /** Of our platform. */
  readonly history?: History;
}

let histories = 0;

/** A process that sends `count` events to the receiver in each round. A round ends when all have arrived. */
export async function startSide(
  mode: Mode,
  receiver: Receiver,
  count: number,
  { execArgv = [], history }: SideOptions = {},
): Promise<Side<Round>> {
  // Sides of one receiver have different secrets, and so different paths.
  const args = history ? [mode, `${receiver.url}/${++histories}`, String(history.kept)] : [mode, receiver.url];
  const child = fork(join(import.meta.dirname, 'side-process.js'), args, { execArgv: [...execArgv] });
  const { secrets } = await messageOf<Ready>(child, names[mode]);
  await receiver.expectSignatures(secrets);
  const accept = async (events: number): Promise<number> => {
    const target = (await receiver.count()) + events;
    const accepted = messageOf<Accepted>(child, names[mode]);
    child.send(events);
    const [{ loopP99Ms }] = await Promise.all([accepted, receiver.reached(target)]);
    return loopP99Ms;
  };
  if (history) await accept(history.settled);
  return {
    name: mode,
    async round() {
      let loopP99Ms = Number.NaN;
      const cost = await costOf([child.pid!], async () => {
        loopP99Ms = await accept(count);
      });
      return { ...cost, loopP99Ms };
    },
    stop: () => endChild(child),
  };
}

export const nameOf = (mode: string): string => names[mode as Mode];
