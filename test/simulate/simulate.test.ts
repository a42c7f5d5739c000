import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { Disk } from '../../scripts/simulate/disk.js';
import { type Fault, type Scenario, scenarioOf } from '../../scripts/simulate/scenario.js';
import { kindOf, shrink } from '../../scripts/simulate/shrink.js';
import { featureNames, simulate } from '../../scripts/simulate/simulate.js';
import { World } from '../../scripts/simulate/world.js';
import { runAlone, runOptions } from './run-alone.js';

const FOLDER = 'test/simulate/scenarios';
const MINUTES = 1 / 60;
const fault = (kind: Fault['kind'], at: number, ms: number): Fault => ({ kind, at, ms, strength: 0.5, target: 0 });

t.test('a seed decides everything, and nothing else does', async (t) => {
  const scenario: Scenario = {
    ...scenarioOf('same', 1.5 * MINUTES, featureNames),
    faults: [fault('power failure', 30_000, 5_000), fault('connections break after', 55_000, 15_000)],
  };
  const { now, parse } = Date;
  const [first, second, other] = await Promise.all([runAlone(scenario), runAlone(scenario), runAlone({ ...scenario, seed: 'other' })]);
  t.match(first, /^seed same: [1-9]\d\d+ acknowledged, [1-9]\d\d+ deliveries, 2 faults, \d+ steps, trace [0-9a-f]{16}$/);
  t.equal(second, first);
  t.not(/trace (\S+)/.exec(other!)?.[1], /trace (\S+)/.exec(first!)?.[1]);
  const { violations, acknowledged } = await simulate({ ...scenario, hours: MINUTES, faults: [] });
  t.same(violations, []);
  t.ok(acknowledged > 20);
  t.same([now, parse], [Date.now, Date.parse], 'the clock of this process is the real one again');
});

t.test('options that cannot be used are refused in one line', async (t) => {
  const refused: readonly (readonly [options: string[], why: string])[] = [
    [['--sed', '7'], "Unknown option '--sed'; --help shows the options"],
    [['--hours', '-1'], "Option '--hours' argument is ambiguous; --help shows the options"],
    [['--stride', '0'], '--stride must be a number of at least 1, not "0"; --help shows the options'],
    [['--scenario', 'package.json'], '--scenario package.json cannot be read: "seed" is required; --help shows the options'],
    [['--members', '1.5'], '--members must be a whole number, not 1.5; --help shows the options'],
  ];
  const results = await Promise.all(refused.map(([options]) => runOptions(...options)));
  t.same(
    results.map(({ code, stdout, stderr }) => [code, stdout, stderr]),
    refused.map(([, why]) => [2, '', `${why}\n`]),
  );
  const { code, stdout } = await runOptions('--help');
  t.match([code, stdout], [0, /^usage: npm run simulate -- \[options\]\n/]);
});

t.test('a platform whose writes are not durable is found', async (t) => {
  // One of them alone may come when nothing waits to be written.
  const faults = [60_000, 100_000, 140_000].map((at) => fault('power failure', at, 1_000));
  const scenario: Scenario = { seed: 'lies', hours: 3 * MINUTES, features: featureNames, faults };
  const { violations } = await simulate(scenario, {
    onRun(run) {
      // The first shows it.
      run.mostViolations = 1;
      const { disk } = run.machines[0]!;
      const honest = disk.fileSystem.bind(disk);
      disk.fileSystem = (process) => {
        const fs = honest(process);
        // Reports writes as durable that are not.
        const open: typeof fs.open = async (path, how) => ({
          ...(await fs.open(path, how === 'append' ? 'create' : how).catch(() => fs.open(path, how))),
          writesDurably: true,
        });
        return { ...fs, open };
      };
    },
  });
  t.match(violations.join('\n'), /is stored 0 times|does not start/);
});

t.test('a power failure keeps what was synced, and a prefix of the rest', async (t) => {
  const survivors = new Set<string | undefined>();
  for (let seed = 0; seed < 60; seed++) {
    const world = new World(`disk ${seed}`);
    const disk = new Disk(world, world.random);
    const fs = disk.fileSystem(world.outside);
    const write = async () => {
      const file = await fs.open('/d/a', 'create');
      await file.write(Buffer.from('ab'));
      await file.sync();
      await fs.syncFolder('/d');
      await file.write(Buffer.from('cd'));
      await fs.open('/d/b', 'create');
    };
    void write();
    await world.runUntil(1_000);
    disk.crash('power');
    const text = (path: string) => disk.files.find((file) => file.path === path)?.size;
    survivors.add(`${text('/d/a')} ${text('/d/b')}`);
  }
  t.same([...survivors].sort(), ['2 0', '2 undefined', '3 0', '3 undefined', '4 0', '4 undefined']);
});

t.test('a failing scenario shrinks to the faults and features that it needs', async (t) => {
  const faults = Array.from({ length: 20 }, (_, i) => fault(i === 7 || i === 13 ? 'power failure' : 'disk slow', 1_000 * i, 10));
  const scenario: Scenario = { seed: '1', hours: 2, features: ['a', 'b', 'c'], faults };
  let runs = 0;
  const smallest = await shrink(scenario, async ({ features, faults }) => {
    runs++;
    return features.includes('b') && faults.filter(({ kind }) => kind === 'power failure').length === 2;
  });
  t.same(smallest.features, ['b']);
  t.same(
    smallest.faults.map(({ at }) => at),
    [7_000, 13_000],
  );
  t.ok(smallest.hours < 0.1 && runs < 60, `${smallest.hours} hours after ${runs} runs`);
  t.equal(
    kindOf('4320.645 s: message +27820020000:0 was acknowledged and is stored 0 times'),
    kindOf('17 s: message +27820030000:4 was acknowledged and is stored 0 times'),
  );
});

t.test('what was found once is not found again', async (t) => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
    const { violations } = await simulate(JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')));
    t.same(violations, [], file);
  }
});
