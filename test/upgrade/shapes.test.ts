import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { FORMAT } from '../../core/adapters/store/files/data-folder.js';
import { everything } from '../../scripts/docs/everything.js';
import { writeScenario } from '../../scripts/release-data/scenario.js';
import {
  type Addition,
  type Change,
  changesBetween,
  type RecordedShapes,
  shapesIn,
  withAdditions,
} from '../../scripts/release-data/shapes.js';
import { freshFolder } from '../core/adapters/store/folders.js';

/** Collections whose shapes are not recorded: the scenario connects no number to a network. */
const NOT_RECORDED = ['cloud-api.'];

const FILE = `test/data/shapes/format-${FORMAT}.json`;

const lines = (changes: readonly Change[], suffix = ''): string =>
  changes
    .map(({ what, ...change }) => `  ${change.collection}.${change.path} ${what}${suffix && `\n    ${JSON.stringify(change)}`}`)
    .join('\n');

/** Instructions for the changes found; empty without changes. */
function advice({ additive, breaking }: ReturnType<typeof changesBetween>): string[] {
  const said: string[] = [];
  if (breaking.length > 0) {
    said.push(
      `Stored documents have changed in a way that other code of data folder format ${FORMAT} cannot read:`,
      lines(breaking),
      'Raise FORMAT in core/adapters/store/files/data-folder.ts, add a migration from the present format, and list the new shapes: node scripts/run.mjs release-data --shapes.',
      `Where code that was released could write this already, and only the scenario is new in showing it, correct ${FILE}.`,
    );
  }
  if (additive.length > 0) {
    said.push(
      'Stored documents have additions:',
      lines(additive, 'as it is recorded'),
      `If older code of format ${FORMAT} ignores each of them and newer code reads documents without it, add it to "additions" in ${FILE} with the reason in "because". Otherwise raise the format.`,
    );
  }
  return said.flatMap((text) => text.split('\n'));
}

t.test('documents have the shapes that are recorded for the format of the data folder', async (t) => {
  const folder = join(freshFolder(t), 'copy');
  await writeScenario(join(freshFolder(t), 'data'), folder);
  const found = await shapesIn(folder);

  const collections = [...(await everything()).collections.values()].flatMap(Object.keys);
  const unseen = collections.filter((name) => !(name in found) && !NOT_RECORDED.some((prefix) => name.startsWith(prefix)));
  t.strictSame(unseen, [], 'the scenario (scripts/release-data/scenario.ts) writes to every collection');

  if (!existsSync(FILE)) throw new Error(`there is no list of the shapes of format ${FORMAT}: node scripts/run.mjs release-data --shapes`);
  const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as RecordedShapes;
  const changes = changesBetween(withAdditions(recorded), found);
  const said = advice(changes);
  if (said.length > 0) t.fail('stored documents have other shapes than are recorded', { advice: said });
  const unwritten = recorded.additions.filter(({ collection, path }) => found[collection]?.[path] === undefined);
  t.strictSame(unwritten, [], 'every recorded addition is written by the scenario');
});

const shapes = { 'a.things': { uuid: 'string', 'name?': 'null|string', 'list[]': 'number' } };
const things = (about: object) => ({ 'a.things': { ...shapes['a.things'], ...about } });
const without = (...paths: string[]) => ({
  'a.things': Object.fromEntries(Object.entries(shapes['a.things']).filter(([path]) => !paths.includes(path))),
});

t.test('a new path, a new collection, and a field with fewer types or always present are additive', async (t) => {
  for (const [now, what] of [
    [things({ 'colour?': 'string' }), 'is new'],
    [things({ colour: 'string' }), 'is new'],
    [{ ...shapes, 'a.others': { uuid: 'string' } }, 'is new'],
    [{ 'a.things': { ...without('name?')['a.things'], name: 'null|string' } }, 'is always there; it could be missing'],
    [things({ 'name?': 'string' }), 'has only type string; it had null|string'],
  ] as const) {
    const { additive, breaking } = changesBetween(shapes, now as never);
    t.strictSame([additive.map((change) => change.what), breaking], [[what], []], JSON.stringify(now));
  }
});

t.test('a removed path, a field that became optional, and another type are breaking', async (t) => {
  for (const [now, what] of [
    [without('uuid'), 'is gone'],
    [without('name?'), 'is gone'],
    [{ 'a.things': { ...without('uuid')['a.things'], 'uuid?': 'string' } }, 'may be missing; it was always there'],
    [things({ uuid: 'null|string' }), 'has type null|string; it had string'],
    [things({ 'list[]': 'string' }), 'has type string; it had number'],
  ] as const) {
    const { additive, breaking } = changesBetween(shapes, now as never);
    t.strictSame([additive, breaking.map((change) => change.what)], [[], [what]], JSON.stringify(now));
  }
  t.equal(changesBetween(shapes, {}).breaking.length, 3, 'a removed collection');
});

t.test('an addition is accepted when it is recorded with a reason; a breaking change cannot be recorded as one', async (t) => {
  const record = (addition: Partial<Addition>) =>
    withAdditions({
      shapes,
      additions: [{ collection: 'a.things', path: 'colour?', types: 'string', because: 'old code ignores it', ...addition }],
    });
  t.strictSame(changesBetween(record({}), things({ 'colour?': 'string' }) as never), { additive: [], breaking: [] });
  t.strictSame(
    changesBetween(record({ path: 'name', types: 'null|string' }), {
      'a.things': { ...without('name?')['a.things'], name: 'null|string' },
    } as never),
    {
      additive: [],
      breaking: [],
    },
  );
  t.throws(() => record({ path: 'uuid?' }), /a\.things\.uuid\? is recorded as an addition, but it may be missing/);
  t.throws(() => record({ path: 'uuid', types: 'number' }), /has type number; it had string/);
  t.throws(() => record({ because: ' ' }), /without a reason/);
});
