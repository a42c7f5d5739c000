import type { Ids } from '../ports/ids.js';
import type { Tap } from './tap.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The contract of every source of ids and random values. */
export async function idsContract(t: Tap, make: () => Ids): Promise<void> {
  await t.test('uuids are version 4 or 7, and all differ', async (t) => {
    const ids = make();
    const uuids = Array.from({ length: 1000 }, () => ids.uuid());
    t.ok(uuids.every((uuid) => UUID.test(uuid)));
    t.equal(new Set(uuids).size, 1000);
  });

  await t.test('secrets have the requested number of bytes as URL-safe text, and all differ', async (t) => {
    const ids = make();
    for (const bytes of [1, 16, 32, 33, 200, 5_000]) {
      const secret = ids.secret(bytes);
      t.match(secret, /^[A-Za-z0-9_-]+$/);
      t.equal(Buffer.from(secret, 'base64url').length, bytes);
    }
    t.equal(new Set(Array.from({ length: 1000 }, () => ids.secret(16))).size, 1000);
  });

  await t.test('no 8 bytes of a secret recur in it or in another one', async (t) => {
    const ids = make();
    const pieces: string[] = [];
    for (let i = 0; i < 1000; i++) {
      const bytes = Buffer.from(ids.secret(20 + (i % 20)), 'base64url');
      for (let at = 0; at + 8 <= bytes.length; at++) pieces.push(bytes.toString('latin1', at, at + 8));
    }
    t.equal(new Set(pieces).size, pieces.length);
  });

  await t.test('digits have the requested length, the first is not 0, and all are about equally likely', async (t) => {
    const ids = make();
    t.match(ids.digits(1), /^[1-9]$/);
    const numbers = Array.from({ length: 2000 }, () => ids.digits(10));
    t.ok(numbers.every((number) => /^[1-9][0-9]{9}$/.test(number)));
    const counts = new Map<string, number>();
    for (const digit of numbers.join('')) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    for (const digit of '0123456789') {
      const share = (counts.get(digit) ?? 0) / 20_000;
      t.ok(share > 0.08 && share < 0.12, `${digit}: ${share}`);
    }
  });

  await t.test('random values lie in [0, 1), evenly distributed', async (t) => {
    const ids = make();
    const chances = Array.from({ length: 5000 }, () => ids.random());
    t.ok(chances.every((chance) => chance >= 0 && chance < 1));
    for (let tenth = 0; tenth < 10; tenth++) {
      const share = chances.filter((chance) => Math.floor(chance * 10) === tenth).length / 5000;
      t.ok(share > 0.07 && share < 0.13, `${tenth}: ${share}`);
    }
  });
}
