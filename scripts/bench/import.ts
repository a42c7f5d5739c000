// Bench: the time to import posthorn, as a ratio to importing @hapi/hapi and joi alone
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { median, printTable } from './measuring/table.js';

const ROUNDS = 9;
const folder = join(import.meta.dirname, '..', '..');
const areas = ['channels', 'console', 'flows', 'integration', 'journeys', 'messages', 'network', 'simulation', 'webhooks'];
const cases: Readonly<Record<string, readonly string[]>> = {
  'floor: @hapi/hapi and joi': ['@hapi/hapi', 'joi'],
  '@hapi/hapi': ['@hapi/hapi'],
  joi: ['joi'],
  posthorn: ['posthorn'],
  'posthorn and @hapi/hapi': ['posthorn', '@hapi/hapi'],
  'posthorn, @hapi/hapi and every plugin': ['posthorn', '@hapi/hapi', ...areas.map((area) => `posthorn/plugins/${area}`)],
};

/** Wall time and CPU time in a new process, without the start of Node. */
function costOf(modules: readonly string[]): { readonly ms: number; readonly cpu: number } {
  const script = `const began = performance.now(), used = process.cpuUsage();
for (const name of ${JSON.stringify(modules)}) await import(name);
const { user, system } = process.cpuUsage(used);
console.log(JSON.stringify({ ms: performance.now() - began, cpu: (user + system) / 1000 }));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8' }));
}

// The cases alternate in every round, so that machine load affects all of them alike.
const costs = new Map(Object.keys(cases).map((name) => [name, [] as ReturnType<typeof costOf>[]]));
for (let round = 0; round < ROUNDS; round++) for (const [name, modules] of Object.entries(cases)) costs.get(name)!.push(costOf(modules));

const [floor] = [...costs.values()].map((all) => median(all.map(({ cpu }) => cpu)));
printTable(
  [`median of ${ROUNDS}`, 'ms', 'min ms', 'processor ms', 'ratio'],
  [...costs].map(([name, all]) => {
    const cpu = median(all.map((one) => one.cpu));
    const times = all.map(({ ms }) => ms);
    return [name, median(times).toFixed(0), Math.min(...times).toFixed(0), cpu.toFixed(0), (cpu / floor!).toFixed(2)];
  }),
);
