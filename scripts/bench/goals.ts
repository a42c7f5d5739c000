// Bench: all goals of speed in one table, each with its verdict, floor and peers; `npm run bench` alone runs it
import { parseArgs } from 'node:util';
import { type Goal, type GoalName, goals, limitOf, type Result, verdictOf, written } from './goals/goals.js';
import { GOAL_DELIVERIES, GOAL_MESSAGES, measurements, type Results, type Size } from './goals/measurements.js';
import { machine, printTable } from './measuring/table.js';

const FULL: Size = {
  rounds: 7,
  deliveries: 10_000,
  events: 3_000,
  requests: 2_000,
  turnsMs: 1_000,
  allocating: 20_000,
  messages: GOAL_MESSAGES,
  merges: 3,
  history: GOAL_DELIVERIES,
  inOneLane: 2_000,
  writesMs: 700,
};
/** Within about four minutes: for a look, not for a record. */
const QUICK: Size = {
  rounds: 3,
  deliveries: 3_000,
  events: 1_000,
  requests: 500,
  turnsMs: 300,
  allocating: 3_000,
  messages: 50_000,
  merges: 1,
  history: 5_000,
  inOneLane: 500,
  writesMs: 300,
};

const { values } = parseArgs({
  options: {
    /** Fewer rounds and smaller counts. */
    quick: { type: 'boolean', default: false },
    /** Print the results as JSON. */
    json: { type: 'boolean', default: false },
    /** Write the results to the page with the history, as those of the next release. */
    record: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    /** Multiplies the counts. */
    scale: { type: 'string', default: '1' },
    /** Measure only the goals whose names contain one of these words, separated by commas. */
    only: { type: 'string', default: '' },
  },
});
const scale = Number(values.scale);
const isFull = !values.quick && values.rounds === undefined && scale === 1 && values.only === '';
if (values.record && !isFull) {
  console.error('--record needs a complete run: leave out --quick, --rounds, --scale and --only');
  process.exit(2);
}

const size = scaled({ ...(values.quick ? QUICK : FULL), ...(values.rounds !== undefined && { rounds: Number(values.rounds) }) });
const words = values.only.split(',');
const names = (Object.keys(goals) as GoalName[]).filter((name) => words.some((word) => name.includes(word)));
const results: Results = {};
for (const { goals: measured, run } of measurements) {
  const wanted = measured.filter((name) => names.includes(name));
  if (wanted.length === 0) continue;
  const began = performance.now();
  try {
    Object.assign(results, await run(size));
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
    for (const name of measured) results[name] = { missing: `failed: ${(error as Error).message}` };
  }
  console.error(`${wanted.join(', ')}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

const rows = names.map((name) => {
  const [goal, result]: [Goal, Result] = [goals[name], results[name]!];
  return { name, goal, result, verdict: verdictOf(goal, result) };
});
if (values.json) {
  const entries = rows.map(({ name, goal, result, verdict }) => ({ name, ...goal, ...result, verdict }));
  console.log(JSON.stringify({ machine: machine(), size, goals: entries }, null, 2));
} else {
  print();
}
if (values.record) {
  const { record } = await import('./goals/record.js');
  await record(results, machine());
}

function print(): void {
  printTable(
    [`medians of ${size.rounds} rounds`, 'measured', 'min', 'max', 'goal', 'verdict', 'in the same run'],
    rows.map(({ goal, result, verdict }) => {
      if ('missing' in result) return [goal.what, '', '', '', limitOf(goal), `${verdict} (${result.missing})`, ''];
      const { value, min, max, beside = '', at, flaw } = result;
      const about = [...(at === undefined ? [] : [`at ${at}`]), ...(flaw === undefined ? [] : [flaw])];
      const cells = [value, min, max].map((number) => (number === undefined ? '' : written(number, goal.unit)));
      return [goal.what, ...cells, limitOf(goal), about.length === 0 ? verdict : `${verdict} (${about.join('; ')})`, beside];
    }),
    [5, 6],
  );
}

function scaled(size: Size): Size {
  const { rounds, merges, ...counts } = size;
  const times = Object.entries(counts).map(([name, count]) => [name, Math.max(1, Math.round(count * scale))]);
  return { rounds, merges, ...Object.fromEntries(times) } as Size;
}
