import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import Joi from 'joi';
import { messageOf } from '../core/errors.js';
import { realNow } from './simulate/real-timers.js';
import { clusterFaultKinds, faultKinds, type Scenario, scenarioOf } from './simulate/scenario.js';
import { kindOf, shrink } from './simulate/shrink.js';

/** More members have no names. */
const MOST_MEMBERS = 5;
const USAGE = `usage: npm run simulate -- [options]

  --seed N         the first seed; a random one if not given
  --seeds N        how many seeds to run; 1 if not given, or as many as fit into --minutes
  --hours H        simulated hours of each seed; 1 if not given
  --minutes M      starts no further seed after so many real minutes
  --members N      1: one platform; 2 to 5: the members of a cluster; the seed decides if not given
  --jobs N         divides the seeds among so many processes
  --stride N       runs every Nth seed only
  --scenario FILE  runs a scenario instead of seeds
  --trace          prints each step
  --shrink         looks for the shortest scenario that fails in the same way
  --stop-at-first  ends at the first failure

Exit code 1 if a seed failed, 2 for options that cannot be used.`;

// V8 optimizes functions later than usual. Otherwise this takes a quarter of the time, for code of which most runs a few thousand times.
setFlagsFromString('--interrupt-budget=1000000');

// Run by `npm run simulate`.
const values = givenOptions();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const hours = numberOf('hours', 0.001);
const jobs = integerOf('jobs', 1);
const stride = integerOf('stride', 1);
const limitMs = values.minutes === undefined ? Number.POSITIVE_INFINITY : 60_000 * numberOf('minutes', 0);
const first = values.seed === undefined ? Math.floor(Math.random() * 1e9) : integerOf('seed', 0);
const count = values.seeds !== undefined ? integerOf('seeds', 0) : values.minutes === undefined ? 1 : Number.POSITIVE_INFINITY;
const members = values.members === undefined ? undefined : integerOf('members', 1, MOST_MEMBERS);
// Loaded after the options, as it loads the whole platform.
const { featureNames, simulate } = await import('./simulate/simulate.js');
const scenario = values.scenario === undefined ? undefined : readScenario(values.scenario);
const beganAt = realNow();
const total = { seeds: 0, hours: 0, acknowledged: 0, faults: 0, failed: 0, cpuHours: 0 };

if (scenario) await run(scenario);
else if (jobs > 1) await runJobs();
else
  for (let i = 0; i < count && realNow() - beganAt < limitMs; i += stride) {
    await run(scenarioOf(String(first + i), hours, featureNames, members));
    if (total.failed > 0 && values['stop-at-first']) break;
  }
const { user, system } = process.cpuUsage();
total.cpuHours += (user + system) / 3_600e6;
if (process.send) await new Promise<void>((resolve) => process.send!(total, undefined, undefined, () => resolve()));
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
      let isCounted = false;
      child.on('message', (part: typeof total) => {
        isCounted = true;
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += part[name];
      });
      const [code, signal] = await once(child, 'exit');
      // An exception that nothing catches ends a process with 1, as a failed seed does.
      if (!isCounted) throw new Error(`a process of the simulation ended before its time, with ${code ?? signal}`);
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
  if (!values.shrink) return console.log(`  Run it again with ${againWith(scenario)}; --shrink looks for the shortest scenario.`);
  const kind = kindOf(violations[0]!);
  const smallest = await shrink(scenario, async (candidate) => (await simulate(candidate)).violations.some((one) => kindOf(one) === kind));
  console.log(
    `  The shortest scenario that fails so; put it into test/simulate/scenarios once it is fixed:\n${JSON.stringify(smallest, null, 2)}`,
  );
}

/** The options that repeat a scenario. */
function againWith({ seed, hours, cluster }: Scenario): string {
  return values.scenario === undefined
    ? `--seed ${seed} --hours ${hours} --members ${cluster?.members ?? 1}`
    : `--scenario ${values.scenario}`;
}

function givenOptions() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
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
    }).values;
  } catch (error) {
    return refuse(messageOf(error).split(/\.\s/)[0]!);
  }
}

type NumberOption = 'seed' | 'seeds' | 'hours' | 'minutes' | 'members' | 'jobs' | 'stride';

function numberOf(name: NumberOption, min: number, max = Number.MAX_SAFE_INTEGER): number {
  const text = values[name]!;
  const number = Number(text);
  const isRight = text.trim() !== '' && number >= min && number <= max;
  return isRight
    ? number
    : refuse(
        `--${name} must be a number ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}, not ${JSON.stringify(text)}`,
      );
}

function integerOf(name: NumberOption, min: number, max?: number): number {
  const number = numberOf(name, min, max);
  return Number.isInteger(number) ? number : refuse(`--${name} must be a whole number, not ${number}`);
}

/** Every value is required: one that is missing would become one of the numbers of the simulation. */
function scenarioSchema() {
  return Joi.object({
    seed: Joi.string().required(),
    hours: Joi.number().positive().required(),
    features: Joi.array()
      .items(Joi.valid(...featureNames))
      .required(),
    faults: Joi.array()
      .items({
        kind: Joi.valid(...faultKinds, ...clusterFaultKinds).required(),
        at: Joi.number().min(0).required(),
        ms: Joi.number().min(0).required(),
        strength: Joi.number().min(0).max(1).required(),
        target: Joi.number().integer().min(0).required(),
      })
      .required(),
    cluster: Joi.object({
      members: Joi.number().integer().min(2).max(MOST_MEMBERS).required(),
      shards: Joi.number().integer().min(1).required(),
      isSynchronous: Joi.boolean().required(),
      afterLoss: Joi.valid('continue', 'stop').required(),
    }),
  });
}

function readScenario(file: string): Scenario {
  try {
    const scenario: Scenario = Joi.attempt(JSON.parse(readFileSync(file, 'utf8')), scenarioSchema());
    return scenario;
  } catch (error) {
    return refuse(`--scenario ${file} cannot be read: ${messageOf(error)}`);
  }
}

function refuse(why: string): never {
  console.error(`${why}; --help shows the options`);
  process.exit(2);
}
