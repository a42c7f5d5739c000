import t from 'tap';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { Connection } from '../../../../plugins/cluster/postgres/connection.js';
import { agreeOnTerm, LeaseTerm } from '../../../../plugins/cluster/postgres/lease-term.js';
import { prepare, tablesIn } from '../../../../plugins/cluster/postgres/schema.js';
import { Servers } from '../../../../plugins/cluster/postgres/servers.js';
import { withDatabase } from './with-database.js';

const BASE_MS = 3_000;

function termOf() {
  const log = new RecordingLogger();
  let now = 1_000_000;
  const term = new LeaseTerm({ baseMs: BASE_MS, log, now: () => now });
  return {
    ...{ term, log },
    pass: (ms: number) => (now += ms),
    /** Beats that are so late, one second apart. */
    late: (...lates: number[]) => {
      for (const ms of lates) {
        term.late(ms);
        now += 1_000;
      }
    },
    leases: () => log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields?.next_lease_ms),
  };
}

t.test('leases become longer when beats are late again, not for one that is a bit late', async (t) => {
  const once = termOf();
  once.late(1_000, 100, 0);
  once.pass(11_000);
  once.late(1_000);
  t.equal(once.term.takeChange(), undefined);
  t.equal(once.term.lateMs, 1_000);
  once.pass(61_000);
  t.equal(once.term.lateMs, 0);

  const again = termOf();
  again.late(1_000, 1_000);
  t.strictSame(again.term.takeChange(), { kind: 'longer', leaseMs: 6_000 });
  t.match(again.log.lines, [{ level: 'warn', message: /renewed late because the machine or the database is busy/ }]);
  t.equal(again.term.ms, BASE_MS, 'not before all have agreed');

  const very = termOf();
  very.late(1_400);
  t.strictSame(very.term.takeChange(), { kind: 'longer', leaseMs: 6_000 });

  const shards = termOf();
  for (let shard = 0; shard < 8; shard++) shards.term.late(1_000 + shard);
  t.equal(shards.term.takeChange(), undefined, 'beats that are late together are one');

  const frozen = termOf();
  frozen.late(4_000, 20_000, 3_100);
  t.equal(frozen.term.takeChange(), undefined, 'a process that was stopped for longer than a lease is not slow');
});

t.test('leases double up to eight times, and get shorter step by step when no process needs them', async (t) => {
  const { term, late, pass, leases } = termOf();
  for (const leaseMs of [6_000, 12_000, 24_000]) {
    late(0.5 * term.ms);
    t.strictSame(term.takeChange(), { kind: 'longer', leaseMs });
    term.agreed({ lease_ms: leaseMs, quiet_ms: 0 });
    t.equal(term.ms, leaseMs);
  }
  late(0.5 * term.ms);
  t.equal(term.takeChange(), undefined);
  t.strictSame(leases(), [6_000, 12_000, 24_000, 24_000], 'the last warning says that they are as long as allowed');
  pass(20_000);
  late(0.2 * term.ms);
  t.strictSame(term.takeChange(), { kind: 'needed', leaseMs: 24_000 }, 'it would be late with shorter ones');
  pass(20_000);
  late(0.1 * term.ms);
  t.equal(term.takeChange(), undefined);
  term.agreed({ lease_ms: 24_000, quiet_ms: 30_000 });
  t.equal(term.takeChange(), undefined);
  for (const [fromMs, leaseMs] of [
    [24_000, 12_000],
    [12_000, 6_000],
    [6_000, 3_000],
  ] as const) {
    term.agreed({ lease_ms: fromMs, quiet_ms: 61_000 });
    t.strictSame(term.takeChange(), { kind: 'shorter', fromMs, leaseMs });
  }
  term.agreed({ lease_ms: 3_000, quiet_ms: 61_000 });
  t.equal(term.takeChange(), undefined);
  term.agreed({ lease_ms: null, quiet_ms: null });
  t.equal(term.ms, BASE_MS);
  term.agreed({ lease_ms: 1_000_000, quiet_ms: 0 });
  t.equal(term.ms, 8 * BASE_MS, 'never longer, whatever is stored');
});

t.test(
  'processes agree on the length in the database',
  withDatabase(async (t, { url, schema }) => {
    const connection = new Connection({ servers: new Servers({ url }), queryTimeoutMs: () => 60_000 });
    t.teardown(() => connection.close());
    const tables = tablesIn(schema);
    t.equal(await prepare(connection, tables), true);
    const [one, two] = [termOf(), termOf()];
    const agree = async () => {
      for (const { term } of [one, two]) await agreeOnTerm(connection, tables, term);
    };
    await agree();
    t.strictSame([one.term.ms, two.term.ms], [BASE_MS, BASE_MS]);
    one.late(1_400);
    two.late(1_400);
    await agree();
    t.strictSame([one.term.ms, two.term.ms], [6_000, 6_000], 'once, although both were late');
    const quiet = () => connection.query({ text: `update ${tables.format} set late_at = clock_timestamp() - interval '61 s'` });
    await quiet();
    one.late(1_000);
    await agree();
    await agree();
    t.equal(two.term.ms, 6_000, 'one of them needs it');
    await quiet();
    await agree();
    await agree();
    t.strictSame([one.term.ms, two.term.ms], [BASE_MS, BASE_MS]);
  }),
);
