import { parseArgs } from 'node:util';
import { realNow } from './simulate/real-timers.js';
import { scenarioOf } from './simulate/scenario.js';
import { featureNames, simulate } from './simulate/simulate.js';

/** `npm run simulate -- --seed 7 --hours 1`: runs one seed. `--seeds 100`: that many from the seed on. `--minutes 480`: new seeds for that long. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    hours: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const hours = Number(values.hours);
const beganAt = realNow();
const cpuAt = process.cpuUsage();
const limitMs = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes) * 60_000;
let [failed, simulated, acknowledged] = [0, 0, 0];
const count = values.minutes === undefined ? Number(values.seeds) : Number.POSITIVE_INFINITY;
for (let i = 0; i < count && realNow() - beganAt < limitMs; i++) {
  const seed = String(Number(values.seed) + i);
  const scenario = scenarioOf(seed, hours, featureNames);
  const outcome = await simulate(scenario, values.trace ? (line) => console.log(line.slice(0, 400)) : undefined);
  simulated += hours;
  acknowledged += outcome.acknowledged;
  if (outcome.violations.length > 0) failed++;
  console.log(
    `seed ${seed}: ${outcome.acknowledged} acknowledged, ${outcome.deliveries} deliveries, ${scenario.faults.length} faults (${[...new Set(scenario.faults.map(({ kind }) => kind))].join(', ')}), ${outcome.steps} steps, trace ${outcome.traceHash.slice(0, 16)}, ${outcome.violations.length} violations`,
  );
  for (const violation of outcome.violations.slice(0, 5)) console.log(`  ${violation}`);
}
const cpu = process.cpuUsage(cpuAt);
const cpuHours = (cpu.user + cpu.system) / 3_600e6;
console.log(
  `${simulated} simulated hours, ${acknowledged} acknowledged operations, ${Math.round(simulated / cpuHours)} simulated hours per CPU hour, ${failed} seeds failed`,
);
process.exit(failed > 0 ? 1 : 0);
