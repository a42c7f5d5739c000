import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { type Lookup, nameLookup } from '../../../core/adapters/http/name-lookup.js';
import { patient } from '../../../core/testing/slowness.js';
import type { Tap } from '../../../core/testing/tap.js';

t.test('a name resolves to the addresses of both families, version 4 first', async (t) => {
  const { lookup } = await nameServer(t, { 'both.test': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] } });
  t.same(await lookup('both.test'), [
    { address: '192.0.2.1', family: 4 },
    { address: '192.0.2.2', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
});

t.test('one family is enough', async (t) => {
  const { lookup } = await nameServer(t, { 'four.test': { A: ['192.0.2.1'], AAAA: [] }, 'six.test': { A: [], AAAA: ['2001:db8::1'] } });
  t.same(await lookup('four.test'), [{ address: '192.0.2.1', family: 4 }]);
  t.same(await lookup('six.test'), [{ address: '2001:db8::1', family: 6 }]);
});

t.test('a name server that does not answer for one family is not waited for', async (t) => {
  const { lookup } = await nameServer(t, { 'half.test': { A: ['192.0.2.1'], AAAA: 'silence' } });
  const before = performance.now();
  t.same(await lookup('half.test'), [{ address: '192.0.2.1', family: 4 }]);
  t.ok(performance.now() - before < patient(200));
});

t.test('a name unknown to the name servers is looked up in the system, and may not exist there either', async (t) => {
  const system: Lookup = async (host) => {
    if (host !== 'printer.lan') throw Object.assign(new Error(host), { code: 'ENOTFOUND' });
    return [{ address: '192.168.0.9', family: 4 }];
  };
  const { lookup } = await nameServer(t, { 'printer.lan': { A: [], AAAA: [] } }, system);
  t.same(await lookup('printer.lan'), [{ address: '192.168.0.9', family: 4 }]);
  await t.rejects(lookup('absent.test'), { code: 'ENOTFOUND' });
});

t.test('the system resolver gets at most two lookups at a time', async (t) => {
  let running = 0;
  let most = 0;
  const system: Lookup = async () => {
    most = Math.max(most, ++running);
    await sleep(5);
    running--;
    return [{ address: '192.168.0.9', family: 4 }];
  };
  const { lookup } = await nameServer(t, {}, system);
  const found = await Promise.all(Array.from({ length: 9 }, (_, i) => lookup(`host${i}`)));
  t.equal(found.length, 9);
  t.equal(most, 2);
});

t.test('a name server failure is not an unknown host', async (t) => {
  const { lookup } = await nameServer(t, {
    'broken.test': { A: 'failure', AAAA: 'failure' },
    'half-broken.test': { A: [], AAAA: 'failure' },
  });
  await t.rejects(lookup('broken.test'), { code: 'ESERVFAIL' });
  await t.rejects(lookup('half-broken.test'), { code: 'ESERVFAIL' });
});

t.test('a name server that does not answer times out', async (t) => {
  const { lookup } = await nameServer(t, { 'silent.test': { A: 'silence', AAAA: 'silence' } });
  const before = performance.now();
  await t.rejects(lookup('silent.test'), { code: 'ETIMEOUT' });
  t.ok(performance.now() - before < patient(3000));
});

t.test('local names are not sent to name servers', async (t) => {
  const { lookup, asked } = await nameServer(t, {}, async () => [{ address: '127.0.0.1', family: 4 }]);
  for (const name of ['localhost', 'localhost.', 'a.localhost', 'printer.local', 'db'])
    t.same(await lookup(name), [{ address: '127.0.0.1', family: 4 }]);
  t.same(asked, []);
});

t.test('the system knows this machine', async (t) => {
  const addresses = await nameLookup()('localhost');
  t.ok(addresses.length > 0 && addresses.every(({ address }) => address === '127.0.0.1' || address === '::1'));
});

t.test('concurrent lookups of a name share one query', async (t) => {
  const { lookup, asked } = await nameServer(t, { 'one.test': { A: ['192.0.2.1'], AAAA: [] } });
  await Promise.all(Array.from({ length: 50 }, () => lookup('one.test')));
  t.same(asked.sort(), ['A one.test', 'AAAA one.test']);
});

t.test('an answer is cached for its TTL, at most half a minute; failures are not cached', async (t) => {
  let now = 0;
  const lookAt = (ms: number) => {
    now = ms;
  };
  const zone: Zone = { 'long.test': { A: ['192.0.2.1'], AAAA: [] }, 'short.test': { A: ['192.0.2.2'], AAAA: [], seconds: 5 } };
  const system: Lookup = () => Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
  const { lookup, asked } = await nameServer(t, zone, system, () => now);
  const times = async (host: string, moments: readonly number[]) => {
    asked.length = 0;
    for (const moment of moments) {
      lookAt(moment);
      await lookup(host).catch(() => undefined);
    }
    return asked.filter((one) => one.startsWith('A ')).length;
  };
  t.equal(await times('long.test', [0, 1, 29_999]), 1);
  t.equal(await times('long.test', [30_000, 30_001]), 1);
  t.equal(await times('short.test', [0, 4_999, 5_000]), 2);
  t.equal(await times('gone.test', [0, 1, 2]), 3);
});

type Zone = Record<string, Record<'A' | 'AAAA', string[] | 'silence' | 'failure'> & { seconds?: number }>;

/** The part of a name server that the tests need. */
async function nameServer(
  t: Tap,
  zone: Zone,
  system: Lookup = () => Promise.reject(new Error('the system was asked')),
  now: () => number = () => performance.now(),
) {
  const asked: string[] = [];
  const socket = createSocket('udp4', async (question, { address, port }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = question.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A';
    const name = labels.join('.').toLowerCase();
    asked.push(`${type} ${name}`);
    const answer = zone[name]?.[type];
    if (answer === 'silence') return;
    const addresses = answer === 'failure' || answer === undefined ? [] : answer;
    const code = answer === 'failure' ? 2 : answer === undefined ? 3 : 0;
    const head = Buffer.alloc(12);
    question.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length, 6);
    const records = addresses.map((text) => {
      const bytes = type === 'A' ? Buffer.from(text.split('.').map(Number)) : version6(text);
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(type === 'A' ? 1 : 28, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt32BE(zone[name]?.seconds ?? 60, 6);
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
    await sleep(2);
    socket.send(Buffer.concat([head, question.subarray(12, at + 5), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return { lookup: nameLookup({ servers: [`127.0.0.1:${socket.address().port}`], tryMs: 250, system, now }), asked };
}

function version6(text: string): Buffer {
  const [left = '', right = ''] = text.split('::');
  const groups = (part: string) =>
    part
      .split(':')
      .filter((group) => group !== '')
      .map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(left), groups(right)];
  const all = [...first, ...new Array(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}
