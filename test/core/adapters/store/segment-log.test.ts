import { hostname } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { SegmentLog } from '../../../../core/adapters/store/segment-log.js';
import { until } from '../../../../scripts/crash/until.js';
import { contentOf, linesOf, logContract, marker } from '../../../plugins/cluster/postgres/log-contract.js';
import { nothing, SimulatedDisk } from './simulated-disk.js';

const FOLDER = '/data';
const LOCK_BEAT_MS = 10;
/** Above the largest id that Linux gives to a process. */
const NO_PROCESS = 2 ** 30;

t.test('a log in a data folder keeps the contract', async (t) => {
  await logContract(t, () => {
    let disk = new SimulatedDisk();
    let newest: SegmentLog | undefined;
    return {
      open() {
        newest = new SegmentLog({ fs: disk, folder: FOLDER, lockBeatMs: LOCK_BEAT_MS });
        return newest;
      },
      async loseOwner() {
        const owner = newest!;
        const lock = await disk.open(join(FOLDER, 'lock'), 'replace');
        await lock.write(Buffer.from(JSON.stringify({ pid: NO_PROCESS, host: hostname() })));
        await lock.close();
        await until(async () => !(await owner.renew()));
      },
      async crash() {
        disk = disk.afterCrash(nothing);
        await disk.remove(join(FOLDER, 'lock'));
      },
    };
  });
});

t.test('a torn append is cut off, and lines that are missing are an error', async (t) => {
  const disk = new SimulatedDisk();
  const log = new SegmentLog({ fs: disk, folder: FOLDER });
  t.teardown(() => log.stop());
  await log.start();
  const lease = (await log.take())!;
  await log.begin(lease, { tx: 0 }, marker(1));
  disk.before = ({ name }) => {
    if (name === 'write') throw Object.assign(new Error('ENOSPC'), { written: 20 });
  };
  await t.rejects(log.append(lease, linesOf(2, 3)), /ENOSPC/);
  disk.before = () => {};
  t.match(await contentOf(log), /^[^\n]*"tx":1,[^\n]*\n$/, 'readers see no incomplete line');
  await log.cutOff();
  t.equal(await log.append(lease, linesOf(2, 3)), 'durable');
  await log.startSegment(9);
  await log.append(lease, linesOf(10, 10));
  await t.rejects(contentOf(log), { name: 'DataDamaged', message: /transactions 4 to 9 before it are missing/ });
});
