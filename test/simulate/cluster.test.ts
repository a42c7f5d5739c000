import t from 'tap';
import type { Fault, Scenario } from '../../scripts/simulate/scenario.js';
import { runAlone } from './run-alone.js';

const fault = (kind: Fault['kind'], at: number, ms: number, strength = 0.5, target = 0): Fault => ({ kind, at, ms, strength, target });
const scenario: Scenario = {
  seed: 'members',
  hours: 2 / 60,
  features: ['conversations'],
  faults: [
    // One of them is the owner.
    ...[0, 1, 2].map((target) => fault('process paused', 8_000 + 15_000 * target, 9_000, 0.5, target)),
    fault('database fails over', 60_000, 4_000, 1),
    fault('members cut off', 85_000, 5_000),
  ],
  cluster: { members: 3, shards: 1, isSynchronous: false, afterLoss: 'continue' },
};

t.test(
  'members that pause, and a database that loses its newest changes: a seed decides everything, and every loss is reported',
  async (t) => {
    let trace = '';
    // It fails if a rule is broken.
    const [once, again] = await Promise.all([runAlone(scenario, (text) => (trace = text)), runAlone(scenario)]);
    const warnings = trace.split('\n').filter((line) => / (warn|error) /.test(line));
    t.match(warnings.join('\n'), /the database has lost transactions/);
    t.match(warnings.join('\n'), /fence|has taken over|lease/, 'the paused owner');
    t.match(once, /, trace [0-9a-f]{16}$/);
    t.equal(again, once);
  },
);
