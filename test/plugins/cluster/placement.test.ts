import t from 'tap';
import { type PlacementInput, place } from '../../../plugins/cluster/placement.js';

const shardsOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `shard-${n + 1}`);
const membersOf = (...ids: string[]) => ids.map((id) => ({ id, isDraining: false }));

/** The input that follows when every process has done what the placement told it. */
function followed(input: PlacementInput): PlacementInput {
  const current = place(input);
  const owners = new Map([...current].flatMap(([shard, { owner }]) => (owner === undefined ? [] : [[shard, owner] as const])));
  return { ...input, current, owners };
}

/** The input after the last move. A placement moves one shard at a time to balance the load. */
function after(input: PlacementInput): PlacementInput {
  let now = followed(input);
  for (let move = 0; move < 2 * input.shards.length; move++) now = followed(now);
  return now;
}

const fresh = (shards: number, ...ids: string[]): PlacementInput => ({
  ...{ shards: shardsOf(shards), members: membersOf(...ids) },
  ...{ current: new Map(), owners: new Map(), rates: new Map(), mayBalance: true },
});

function countsOf(input: PlacementInput): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { owner } of after(input).current.values()) counts[owner!] = (counts[owner!] ?? 0) + 1;
  return counts;
}

t.test('one process owns everything, and there is no standby', async (t) => {
  for (const { owner, standby } of place(fresh(4, 'a')).values()) t.strictSame([owner, standby], ['a', undefined]);
  t.strictSame(
    [...place(fresh(1)).values()],
    [{ owner: undefined, standby: undefined, pinned: undefined }],
    'without a process there is no owner',
  );
});

t.test('a process that joins gets its share; one that ends leaves its shards to their standbys', async (t) => {
  const alone = after(fresh(4, 'a'));
  const joined = after({ ...alone, members: membersOf('a', 'b') });
  t.strictSame(countsOf(joined), { a: 2, b: 2 });
  const owned = [...joined.current].filter(([, { owner }]) => owner === 'a');
  for (const [, { standby }] of owned) t.equal(standby, 'b');
  const ended = place({ ...joined, members: membersOf('b', 'c'), owners: new Map() });
  for (const [shard] of owned) t.not(ended.get(shard)?.owner, 'a');
  t.strictSame(countsOf({ ...joined, members: membersOf('b', 'c'), owners: new Map() }), { b: 2, c: 2 });
});

t.test('a drained process gets nothing, and a pinned shard stays where it was moved', async (t) => {
  const two = after(fresh(4, 'a', 'b'));
  const drained = place({ ...two, members: [...membersOf('a'), { id: 'b', isDraining: true }] });
  for (const { owner, standby } of drained.values()) t.strictSame([owner, standby], ['a', undefined]);
  const pinned = after({ ...two, current: new Map([...two.current].map(([shard, one]) => [shard, { ...one, pinned: 'b' }])) });
  t.strictSame(countsOf(pinned), { b: 4 });
  for (const [shard, { standby }] of pinned.current) {
    t.equal(standby, 'a');
    t.equal(pinned.current.get(shard)?.pinned, 'b');
  }
  t.strictSame(countsOf({ ...pinned, members: membersOf('a') }), { a: 4 }, 'until that process ends');
});

t.test('a busy shard weighs more than idle ones', async (t) => {
  const input = { ...fresh(4, 'a', 'b'), rates: new Map([['shard-1', 900]]) };
  const busy = after(input).current.get('shard-1')!.owner;
  t.strictSame(Object.values(countsOf(input)).sort(), [1, 3]);
  t.equal(countsOf(input)[busy!], 1);
});

t.test('properties of random placements', async (t) => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 500; round++) {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    let input = fresh(1 + random(12), ...ids.slice(0, 1 + random(5)));
    for (let step = 0; step < 4; step++) {
      const placed = place(input);
      const usable = input.members.filter(({ isDraining }) => !isDraining).map(({ id }) => id);
      const known = usable.length > 0 ? usable : input.members.map(({ id }) => id);
      for (const [shard, { owner, standby }] of placed) {
        const isRight = known.includes(owner!) && owner !== standby && (known.length === 1 || known.includes(standby!));
        if (!isRight) t.fail(`round ${round}: ${shard} at ${owner}, ${standby}, of ${known}`);
      }
      const settled = after(input);
      if (JSON.stringify([...place(settled)]) !== JSON.stringify([...settled.current])) t.fail(`round ${round}: moves without a reason`);
      const counts = known.map((id) => countsOf(settled)[id] ?? 0);
      if (Math.max(...counts) - Math.min(...counts) > 1 && input.rates.size === 0) t.fail(`round ${round}: ${counts}`);
      const members = ids.filter(() => random(3) > 0).map((id) => ({ id, isDraining: random(4) === 0 }));
      input = { ...settled, members: members.length > 0 ? members : membersOf('a') };
      if (random(3) === 0) input = { ...input, rates: new Map(input.shards.map((shard) => [shard, random(500)])) };
    }
  }
  t.pass('500 rounds');
});
