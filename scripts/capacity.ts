// Computes what 10, 100 and 1,000 million messages a day take: `node scripts/run.mjs capacity`; with `--measure` from parts that it measures now, beside a
// run with three processes; `--per-day 50`, `--days 7` and `--peak 5` change the load.
import { parseArgs } from 'node:util';
import { machine, printTable } from './bench/measuring/table.js';
import { measure } from './capacity/measure.js';
import { ASSUMED, capacityFor, type Parts } from './capacity/model.js';
import { RECORDED } from './capacity/recorded.js';

const { values } = parseArgs({
  options: {
    measure: { type: 'boolean', default: false },
    messages: { type: 'string', default: '2000' },
    'per-day': { type: 'string', multiple: true, default: ['10', '100', '1000'] },
    days: { type: 'string', default: String(ASSUMED.days) },
    peak: { type: 'string', default: String(ASSUMED.peak) },
  },
});
const MILLION = 1e6;
const GB = 1e9;
const measured = values.measure ? await measure(Number(values.messages), Number(values.messages)) : RECORDED;
const { parts, runs, ratios } = measured;
if (values.measure) console.log(JSON.stringify(measured, undefined, 2));
printTable(
  ['part of a message', 'for each message', 'for each append'],
  (['owner', 'database'] as const).map((name) => [`CPU us, ${name}`, parts[name].message.toFixed(0), parts[name].append.toFixed(0)]),
);
const others: (keyof Parts)[] = ['standby', 'databaseForStandby', 'appends', 'logBytes', 'walBytes', 'ownerWire', 'standbyWire'];
printTable(
  ['part of a message', 'value'],
  others.map((name) => [name, (parts[name] as number).toFixed(1)]),
);
printTable(
  ['shards', 'processes', 'messages', 'appends', 'CPU us each', 'database us each'],
  runs.map(({ shards, processes, messages, appends, processMs, databaseMs }) => [
    ...[shards, processes, messages, appends].map(String),
    ((processMs.reduce((sum, ms) => sum + ms, 0) / messages) * 1_000).toFixed(0),
    ((databaseMs / messages) * 1_000).toFixed(0),
  ]),
);
const [cpu, database, log] = [ratios.processMs, ratios.databaseMs, ratios.logBytes].map((ratio) => ratio.toFixed(2));
console.log(`Three processes, measured / model: CPU of the processes ${cpu}, CPU of the database ${database}, bytes of the log ${log}`);

const assumed = { ...ASSUMED, days: Number(values.days), peak: Number(values.peak) };
const loads = values['per-day'].map((millions) => capacityFor(Number(millions) * MILLION, parts, assumed));
type Capacity = (typeof loads)[number];
const rows: readonly (readonly [string, (load: Capacity) => string])[] = [
  ['messages/s in the busiest second', ({ rate }) => rate.toFixed(0)],
  ['processes', ({ processes }) => String(processes)],
  ['of them needed for CPU', ({ byCpu }) => String(byCpu)],
  ['of them needed for memory', ({ byMemory }) => String(byMemory)],
  ['memory for messages, owner and standby, GB', ({ memory }) => (memory / GB).toFixed(0)],
  ['cores of the standbys', ({ standbyCores }) => standbyCores.toFixed(1)],
  ['cores of the database', ({ databaseCores }) => databaseCores.toFixed(1)],
  ['disk of the database, MB/s', ({ writtenPerSecond }) => (writtenPerSecond / MILLION).toFixed(0)],
  ['write-ahead log, GB a day', ({ walPerDay }) => (walPerDay / GB).toFixed(0)],
  ['network of the database, MB/s', ({ databaseNetwork }) => (databaseNetwork / MILLION).toFixed(0)],
  ['network of all clients and endpoints, MB/s', ({ processNetwork }) => (processNetwork / MILLION).toFixed(0)],
  ['connections to the database', ({ connections }) => String(connections)],
  ['databases', ({ databases }) => String(databases)],
  ['one database suffices for, million messages a day', ({ perDatabase }) => (perDatabase / MILLION).toFixed(0)],
];
printTable(
  ['million messages a day', ...values['per-day']],
  rows.map(([name, read]) => [name, ...loads.map(read)]),
);
console.log(`Assumed: ${JSON.stringify(assumed)}; ${machine()}`);
