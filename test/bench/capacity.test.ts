import t from 'tap';
import type { Tap } from '../../core/testing/tap.js';
import { noCpuFigures } from '../../scripts/bench/measuring/cpu.js';
import { measure, type Ratios, ratiosOf } from '../../scripts/capacity/measure.js';
import { ASSUMED, capacityFor, type MeasuredRun, partsOf } from '../../scripts/capacity/model.js';
import { RECORDED } from '../../scripts/capacity/recorded.js';
import { debianServer } from '../../scripts/crash/test-database.js';
import { onlyLong } from '../forms.js';

/** CPU times differ by as much from run to run on shared cores. */
const [LEAST, MOST] = [0.5, 2];

function assertNear(t: Tap, { processMs, databaseMs, logBytes }: Ratios): void {
  for (const [name, ratio] of Object.entries({ processMs, databaseMs }))
    t.ok(ratio > LEAST && ratio < MOST, `${name}, measured / model: ${ratio.toFixed(2)}`);
  t.ok(Math.abs(logBytes - 1) < 0.1, `bytes of the log, measured / model: ${logBytes.toFixed(3)}`);
}

t.test('the parts of a message are found again in runs that were made of them', async (t) => {
  const run = (processes: number, appends: number): MeasuredRun => {
    const [messages, ms] = [1_000, 2_000];
    const owner = (300 * messages + 100 * appends) / 1_000 + 10;
    const standby = (120 * messages) / 1_000 + 10;
    const database = (20 * messages + 40 * appends) / 1_000 + 4 * processes;
    return {
      ...{ shards: 1, processes, messages, ms, appends, idleProcessMs: 5, idleDatabaseMs: 2 },
      processMs: processes === 1 ? [owner] : [owner, standby],
      databaseMs: database + (processes === 1 ? 0 : (15 * messages) / 1_000),
      ...{ logBytes: 2_000 * messages, walBytes: 3_000 * messages },
      wireBytes: processes === 1 ? [2_500 * messages] : [2_500 * messages, 2_200 * messages],
    };
  };
  const parts = partsOf(run(1, 500), run(1, 3_000), run(2, 700));
  const near = (found: number, wanted: number, name: string) => t.ok(Math.abs(found - wanted) < 0.01, `${name}: ${found}`);
  near(parts.owner.message, 300, 'owner, each message');
  near(parts.owner.append, 100, 'owner, each append');
  near(parts.database.message, 20, 'database, each message');
  near(parts.database.append, 40, 'database, each append');
  near(parts.standby, 120, 'standby');
  near(parts.databaseForStandby, 15, 'database for the standby');
  const { appends, logBytes, walBytes, ownerWire, standbyWire } = parts;
  t.strictSame([appends, logBytes, walBytes, ownerWire, standbyWire], [3, 2_000, 3_000, 2_500, 2_200]);

  const load = capacityFor(86.4e6, parts, { ...ASSUMED, peak: 2, days: 1, use: 0.5, processBytes: 1e9, diskBytes: 1e8, databaseCores: 1 });
  t.equal(load.rate, 2_000, 'a thousand messages a second, and twice as many in the busiest second');
  t.equal(load.byCpu, Math.ceil((2_000 * (300 + 3 * 100 + 120 + ASSUMED.hopUs)) / 1e6 / 0.5), 'cores of the processes');
  t.equal(load.byMemory, Math.ceil((2 * 86.4e6 * ASSUMED.heapBytes) / 1e9 / 0.5), 'memory of owners and standbys');
  t.equal(load.writtenPerSecond, 2_000 * 5_000, 'bytes that the database writes');
  t.equal(load.databases, 1);
  t.equal(Math.round(load.perDatabase / 1e6), Math.round(86.4 / ((2_000 * (20 + 3 * 40 + 15)) / 1e6 / 0.5)), 'the ceiling of one database');
});

t.test('the model agrees with the runs of one to three processes that the page shows', async (t) => {
  const [many, few, followed, three] = RECORDED.runs as [MeasuredRun, MeasuredRun, MeasuredRun, MeasuredRun];
  t.strictSame(
    RECORDED.runs.map(({ shards, processes }) => `${shards} ${processes}`),
    ['1 1', '1 1', '1 2', '3 3'],
  );
  t.strictSame(partsOf(many, few, followed), RECORDED.parts);
  assertNear(t, ratiosOf(RECORDED.parts, three));
});

const why = onlyLong || (noCpuFigures ?? (debianServer() ? false : 'needs the package postgresql of Debian'));

t.test('the model agrees with runs of one to three processes now', { skip: why }, async (t) => {
  const { parts, ratios } = await measure(500, 500);
  t.comment(JSON.stringify({ parts, ratios }));
  assertNear(t, ratios);
});
