import { readFileSync, writeFileSync } from 'node:fs';
import { generatedParts, withPart } from '../../docs.js';
import { type GoalName, goals, type Result } from './goals.js';
import { FILE, history } from './history.js';

const PAGE = 'core/benchmarks.md';
const NEXT = 'Unreleased';

/** Replaces the figures of the next release, and regenerates the page. Runs in the root of the checkout. */
export async function record(results: Partial<Record<GoalName, Result>>, about: string): Promise<void> {
  const released = history().filter(({ release }) => release !== NEXT);
  const figures = Object.fromEntries(
    (Object.keys(goals) as GoalName[]).flatMap((name) => {
      const result = results[name];
      if (!result || 'missing' in result) return [];
      return [[name, Object.fromEntries(Object.entries(result).flatMap(rounded))]];
    }),
  );
  writeFileSync(FILE, `${JSON.stringify([{ release: NEXT, about, figures }, ...released], null, 2)}\n`);
  for (const part of generatedParts.filter(({ file }) => file === PAGE)) {
    writeFileSync(PAGE, await withPart(readFileSync(PAGE, 'utf8'), part));
  }
  console.error(`recorded in ${FILE} and ${PAGE}`);
}

const rounded = ([name, value]: [string, unknown]): [string, number][] =>
  typeof value === 'number' ? [[name, Number(value.toPrecision(3))]] : [];
