import t from 'tap';
import { RandomIds } from '../../../core/adapters/random-ids.js';
import { SeededIds } from '../../../core/adapters/seeded-ids.js';
import { idsContract } from '../../../core/testing/ids-contract.js';

t.test('random ids keep the contract', (t) => idsContract(t, () => new RandomIds()));

t.test('a random uuid begins with its time, so that later ones sort later', async (t) => {
  const ids = new RandomIds();
  const before = Date.now();
  const first = ids.uuid();
  const time = Number.parseInt(first.replaceAll('-', '').slice(0, 12), 16);
  t.ok(time >= before && time <= Date.now());
  while (Date.now() <= time);
  t.ok(ids.uuid() > first);
});

t.test('an invalid number of bytes throws, and does not affect the next secret', async (t) => {
  const ids = new RandomIds();
  for (let i = 0; i < 4; i++) ids.secret(16);
  for (const bytes of [-32, null, Number.NaN, '16']) t.throws(() => ids.secret(bytes as number), String(bytes));
  t.not(Buffer.from(ids.secret(32), 'base64url').toString('hex'), '00'.repeat(32));
});

t.test('seeded ids keep the contract', (t) => idsContract(t, () => new SeededIds('clinic')));

t.test('seeded ids are the same in every run', async (t) => {
  const ids = new SeededIds('demo');
  t.same([ids.uuid(), ids.uuid()], ['3d4ba276-db31-458a-b976-90381a188433', '2b38ff41-f4d9-4cf4-b673-cc334a18ca1c']);
  t.same([ids.secret(16), ids.secret(16)], ['2ZGM9RSv-I5rQ2IDrommgA', 'YaMAv_jSzwC4eLVR31wLBQ']);
  t.same([ids.digits(10), ids.digits(10)], ['2208204297', '1525334060']);
  t.same([ids.random(), ids.random()], [0.7176028557337446, 0.2608318881929286]);
});

t.test('another seed gives other ids', async (t) => {
  const one = new SeededIds('one');
  const two = new SeededIds('two');
  t.not(one.uuid(), two.uuid());
  t.not(one.secret(16), two.secret(16));
  t.not(one.digits(10), two.digits(10));
  t.not(one.random(), two.random());
});

t.test('calls to one method do not change what the others return', async (t) => {
  const few = new SeededIds('demo');
  const many = new SeededIds('demo');
  for (let i = 0; i < 10; i++) many.uuid();
  for (let i = 0; i < 10; i++) many.random();
  t.equal(many.secret(32), few.secret(32));
  t.equal(many.digits(8), few.digits(8));
});
