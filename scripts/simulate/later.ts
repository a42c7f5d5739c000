import { DocumentDamaged } from '../../core/ports/store.js';
import { rottenFile } from './error-lines.js';
import { compare, read } from './features/state.js';
import { isDamage, type Run, START_LIMIT_MS, type Work } from './run.js';

/** The share of runs after which the platform is restarted; of those with work for it, after which a day passes, or a week; after which a bit of the disk changes. */
const RESTARTED = 0.5;
const A_DAY = 0.15;
const A_WEEK = 0.1;
const ROTTEN = 0.2;
const HALF_A_DAY_MS = 12 * 3_600_000;
/** The messages of the run reach the age of seven days one after the other from here on. */
const WEEK_MS = 7 * 24 * 3_600_000 - 1_800_000;
const CRASHES = 12;
const SETTLED_MS = 3 * 3_600_000;

/** Checks what a platform does after everything has settled: in an orderly restart, over a day, and after a bit of its disk has changed. */
export async function checkLater(run: Run, works: readonly Work[]): Promise<void> {
  const { random } = run;
  if (random.chance(RESTARTED)) await checkRestart(run);
  if (works.some(({ checkDay }) => checkDay) && random.chance(A_DAY)) await checkDay(run, works);
  if (works.some(({ checkWeek }) => checkWeek) && random.chance(A_WEEK)) await checkWeek(run, works);
  else if (run.violations.length === 0 && random.chance(ROTTEN)) await checkRot(run, works);
}

/** An orderly restart warns of nothing and changes nothing. */
async function checkRestart(run: Run): Promise<void> {
  const machine = run.machines[0]!;
  const before = await run.outside(() => read(machine));
  machine.onWarning = ({ message, fields }) => run.violated(`an orderly stop warns: ${message} ${JSON.stringify(fields)}`);
  await run.outside(() => machine.stop());
  machine.onWarning = () => undefined;
  machine.start();
  await run.world.runUntil(run.world.now + START_LIMIT_MS, () => machine.isUp);
  compare(run, before, await run.outside(() => read(machine)), 'an orderly restart');
}

async function checkDay(run: Run, works: readonly Work[]): Promise<void> {
  const { world } = run;
  await world.runUntil(world.now + HALF_A_DAY_MS);
  await run.outside(async () => {
    for (const work of works) await work.prepareDay?.();
  });
  await world.runUntil(world.now + HALF_A_DAY_MS + 3_600_000);
  await run.outside(async () => {
    for (const work of works) await work.checkDay?.();
  });
}

/** Nothing but the clock happens in a week. When messages reach their age, the process ends again and again while the platform deletes them. */
async function checkWeek(run: Run, works: readonly Work[]): Promise<void> {
  const { world, random } = run;
  const machine = run.machines[0]!;
  await world.runUntil(world.now + WEEK_MS);
  for (let i = 0; i < CRASHES; i++) {
    machine.crash(random.chance(0.5) ? 'power' : 'process');
    machine.start();
    await world.runUntil(world.now + START_LIMIT_MS, () => machine.isUp);
    // The platform begins to delete messages a minute after its start.
    await world.runUntil(world.now + 60_000 + random.below(200));
  }
  await world.runUntil(world.now + SETTLED_MS);
  await run.outside(async () => {
    for (const work of works) await work.checkWeek?.();
  });
}

/**
 * After one bit of the data has changed, the platform serves what it has acknowledged, or refuses to start because its data are damaged. It never
 * refuses because of a part with documents that stay on disk: then calls that need a damaged document get 503.
 */
async function checkRot(run: Run, works: readonly Work[]): Promise<void> {
  const { world } = run;
  const machine = run.machines[0]!;
  await run.outside(() => machine.stop());
  const file = machine.disk.rot();
  run.rotten = file === undefined ? undefined : rottenFile(file, run.plugins);
  const isColdPart = run.rotten?.isColdPart ?? false;
  world.trace('rot', file);
  let refused: { readonly error: unknown } | undefined;
  machine.onStartFailed = (error) => {
    refused = { error };
  };
  machine.start();
  await world.runUntil(world.now + START_LIMIT_MS, () => machine.isUp || refused !== undefined);
  if (refused && (isColdPart || !isDamage(refused.error)))
    run.violated(`the platform does not start after a bit of ${file} has changed: ${refused.error}`);
  if (!refused && !machine.isUp) run.violated(`the platform hangs at its start after a bit of ${file} has changed`);
  if (!refused && machine.isUp)
    await run.outside(async () => {
      // Pages and lists cannot say that they lack documents whose keys are unknown, as after damage of an encrypted part.
      const { damaged = [] } = (await run.admin('GET', '/store')).store;
      if (isColdPart && damaged.some(({ damage }: { damage: string }) => /documents of the file are lost/.test(damage))) return;
      for (const work of works) {
        await work.check().catch((error) => {
          if (!(isColdPart && error instanceof DocumentDamaged)) throw error;
        });
      }
    });
}
