import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type GoalName, goals, type Result } from './goals.js';
import { FILE, history } from './history.js';

const NEXT = 'Unreleased';

/** Replaces the figures of the next release, and regenerates the page. Runs in the root of the checkout. */
export function record(results: Partial<Record<GoalName, Result>>, about: string): void {
  const released = history().filter(({ release }) => release !== NEXT);
  const figures = Object.fromEntries(
    (Object.keys(goals) as GoalName[]).flatMap((name) => {
      const result = results[name];
      if (!result || 'missing' in result) return [];
      return [[name, Object.fromEntries(Object.entries(result).flatMap(rounded))]];
    }),
  );
  writeFileSync(FILE, `${JSON.stringify([{ release: NEXT, about, figures }, ...released], null, 2)}\n`);
  // The generator of the pages reads the tests, too, which no benchmark needs.
  const { status } = spawnSync(process.execPath, ['scripts/docs.mjs'], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`the figures are in ${FILE}, but the page was not regenerated: run npm run docs`);
  console.error(`recorded in ${FILE} and core/benchmarks.md`);
}

const rounded = ([name, value]: [string, unknown]): [string, number][] =>
  typeof value === 'number' ? [[name, Number(value.toPrecision(3))]] : [];
