import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { realNow } from './simulate/real-timers.js';
import { type Scenario, scenarioOf } from './simulate/scenario.js';
import { kindOf, shrink } from './simulate/shrink.js';
import { featureNames, simulate } from './simulate/simulate.js';

// Run by `npm run simulate`; the options are in simulate/README.md.
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    hours: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    members: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    stride: { type: 'string', default: '1' },
    scenario: { type: 'string' },
    trace: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    'stop-at-first': { type: 'boolean', default: false },
  },
});
const hours = numberOf('hours', values.hours);
const jobs = numberOf('jobs', values.jobs);
const stride = numberOf('stride', values.stride);
const limitMs = values.minutes === undefined ? Number.POSITIVE_INFINITY : 60_000 * numberOf('minutes', values.minutes);
const first = values.seed === undefined ? Math.floor(Math.random() * 1e9) : numberOf('seed', values.seed);
const count = values.seeds !== undefined ? numberOf('seeds', values.seeds) : values.minutes === undefined ? 1 : Number.POSITIVE_INFINITY;
const members = values.members === undefined ? undefined : numberOf('members', values.members);
const beganAt = realNow();
const total = { seeds: 0, hours: 0, acknowledged: 0, faults: 0, failed: 0, cpuHours: 0 };

if (jobs > 1) await runJobs();
else if (values.scenario !== undefined) await run(JSON.parse(readFileSync(values.scenario, 'utf8')));
else
  for (let i = 0; i < count && realNow() - beganAt < limitMs; i += stride) {
    await run(scenarioOf(String(first + i), hours, featureNames, members));
    if (total.failed > 0 && values['stop-at-first']) break;
  }
const { user, system } = process.cpuUsage();
total.cpuHours += (user + system) / 3_600e6;
if (process.send) process.send(total);
else
  console.log(
    `${total.seeds} seeds, ${total.hours.toFixed(1)} simulated hours, ${total.acknowledged} acknowledged operations, ${total.faults} faults; ${Math.round(total.hours / total.cpuHours)} simulated hours per CPU hour; ${total.failed} failed`,
  );
process.exit(total.failed > 0 ? 1 : 0);

/** Divides the seeds among processes. */
async function runJobs(): Promise<void> {
  const args = process.argv
    .slice(2)
    .filter((arg, i, all) => !/^--(jobs|seed|seeds)\b/.test(arg) && !/^--(jobs|seed|seeds)$/.test(all[i - 1] ?? ''));
  const children = Array.from({ length: jobs }, (_, i) =>
    fork(process.argv[1]!, [
      ...args,
      '--seed',
      String(first + i),
      '--stride',
      String(jobs),
      ...(Number.isFinite(count) ? ['--seeds', String(count - i)] : []),
    ]),
  );
  await Promise.all(
    children.map(async (child) => {
      child.on('message', (part: typeof total) => {
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += part[name];
      });
      const [code] = await once(child, 'exit');
      if (code !== 0 && code !== 1) throw new Error(`a process of the simulation ended with ${code}`);
    }),
  );
}

/** Runs a scenario and prints what it found. */
async function run(scenario: Scenario): Promise<void> {
  const { violations, acknowledged, deliveries, steps, traceHash } = await simulate(scenario, {
    onTrace: values.trace ? console.log : undefined,
  });
  total.seeds++;
  total.hours += scenario.hours;
  total.acknowledged += acknowledged;
  total.faults += scenario.faults.length;
  console.log(
    `seed ${scenario.seed}: ${acknowledged} acknowledged, ${deliveries} deliveries, ${scenario.faults.length} faults, ${steps} steps, trace ${traceHash.slice(0, 16)}${violations.length > 0 ? `, ${violations.length} violations` : ''}`,
  );
  if (violations.length === 0) return;
  total.failed++;
  for (const violation of violations.slice(0, 5)) console.log(`  ${violation}`);
  if (!values.shrink)
    return console.log(`  Run it again with --seed ${scenario.seed} --hours ${scenario.hours}; --shrink looks for the shortest scenario.`);
  const kind = kindOf(violations[0]!);
  const smallest = await shrink(scenario, async (candidate) => (await simulate(candidate)).violations.some((one) => kindOf(one) === kind));
  console.log(
    `  The shortest scenario that fails so; put it into test/simulate/scenarios once it is fixed:\n${JSON.stringify(smallest, null, 2)}`,
  );
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  console.error(`--${name} must be a number, not ${JSON.stringify(text)}`);
  process.exit(2);
}
