import { parseArgs } from 'node:util';
import { fuzz } from './fuzz/fuzz.js';

/** `node scripts/run.mjs fuzz --requests 20000 --seed 1 --seconds 90`: exits with 1 when a response is a 5xx or violates its schema. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '90' },
  },
});
const wanted = { requests: Number(values.requests), seed: Number(values.seed), limitMs: Number(values.seconds) * 1_000 };
const started = performance.now();
const endings: (() => unknown)[] = [];
const { sent, routes, byStatus, complaints } = await fuzz({ teardown: (end: () => unknown) => endings.push(end) } as never, wanted);
for (const end of endings) await end();
for (const complaint of complaints) console.error(complaint);
const statuses = Object.entries(byStatus).map(([status, count]) => `${status}: ${count}`);
const seconds = ((performance.now() - started) / 1_000).toFixed(1);
console.log(
  `${sent} requests to ${routes} routes in ${seconds} s, seed ${values.seed}; ${statuses.join(', ')}; ${complaints.length} faults`,
);
if (sent < wanted.requests && complaints.length === 0)
  console.log(`the time limit was reached before all ${wanted.requests} requests were sent`);
process.exit(complaints.length > 0 ? 1 : 0);
