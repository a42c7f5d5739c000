import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import type { Json, JsonObject } from '../../../../core/json.js';
import type { Tap } from '../../../../core/testing/tap.js';
import type { Input } from '../../../../core/turns/input.js';
import { turnSchema } from '../../../../core/turns/turn.js';
import { blockTypes } from '../../../../plugins/journeys/engine/blocks/index.js';
import { checkContainer } from '../../../../plugins/journeys/engine/container.js';
import type { Signal } from '../../../../plugins/journeys/engine/session.js';
import type { StepResult } from '../../../../plugins/journeys/engine/step.js';
import { containerOf, type Draft, Talk } from './journey-under-test.js';

/** A journey, its signals, and the expected events after the start and after each signal. */
interface Case extends Draft {
  readonly description: string;
  readonly start?: JsonObject;
  /** Other journeys, by revision. */
  readonly others?: Readonly<Record<string, Draft>>;
  /** A text is an input; an object is part of an input, or a signal. */
  readonly signals?: readonly (string | JsonObject)[];
  /** Event patterns per call; an event has at least these keys. `only` limits the check to these types. */
  readonly events: readonly (readonly JsonObject[])[];
  readonly only?: readonly string[];
  readonly next?: JsonObject;
  /** Patterns for the final session. */
  readonly vars?: JsonObject;
  readonly results?: JsonObject;
  readonly contact?: JsonObject;
}

const signalOf = (given: string | JsonObject): Signal => {
  if (typeof given === 'string') return { kind: 'input', input: { text: given, type: 'text' } };
  if ('kind' in given) return given as unknown as Signal;
  return { kind: 'input', input: { text: '', type: 'text', ...given } as unknown as Input };
};

t.test('every block type has cases, and no other files exist', async (t) => {
  const files = readdirSync('test/plugins/journeys/engine/step').map((file) => basename(file, '.json'));
  t.strictSame(files.sort(), [...blockTypes.keys()].sort());
});

for (const type of blockTypes.keys()) {
  t.test(`blocks of type ${type} pass their cases`, async (t) => {
    const cases = JSON.parse(readFileSync(join('test/plugins/journeys/engine/step', `${type}.json`), 'utf8')) as Case[];
    t.ok(cases.length > 0, 'there are cases');
    for (const { description, ...item } of cases) {
      const blocks = containerOf(item as Draft).flows.flatMap((flow) => flow.blocks);
      t.ok(
        blocks.some((block) => block.type === type),
        `${description}: has such a block`,
      );
    }
    for (const item of cases) {
      const { description, others = {}, signals = [], only } = item;
      const journeys = Object.fromEntries(Object.entries(others).map(([revision, draft]) => [revision, containerOf(draft)]));
      const talk = new Talk({ main: containerOf(item), ...journeys });
      const results = [talk.start(item.start as object), ...signals.map((given) => talk.send(signalOf(given)))];
      for (const [i, result] of results.entries()) checkEvents(t, result, item.events[i] ?? [], only, `${description} (${i})`);
      t.equal(results.length, item.events.length, `${description}: events for every call`);
      const last = results.at(-1);
      const frame = last?.session.stack.at(-1);
      if (item.next) t.strictSame(last?.next, item.next, `${description}: next`);
      if (item.vars) t.strictSame(frame?.vars, item.vars, `${description}: variables`);
      if (item.results) t.strictSame(frame?.results, item.results, `${description}: results`);
      if (item.contact) t.strictSame(last?.session.contact, item.contact, `${description}: contact`);
      const errors = checkContainer(containerOf(item)).flatMap(({ code: _, ...problem }) => (problem.severity === 'error' ? problem : []));
      t.strictSame(errors, (item as { problems?: Json }).problems ?? [], `${description}: errors before it runs`);
    }
  });
}

function checkEvents(
  t: Tap,
  { events }: StepResult,
  patterns: readonly JsonObject[],
  only: readonly string[] | undefined,
  name: string,
): void {
  const looked = events.filter(({ type }) => !only || only.includes(type));
  t.strictSame(
    looked.map(({ type }) => type),
    patterns.map(({ type }) => type),
    `${name}: what happens`,
  );
  for (const [i, event] of looked.entries()) {
    const pattern = patterns[i] ?? {};
    t.strictSame(picked(event as unknown as Json, pattern), pattern, `${name}: ${event.type}`);
  }
  for (const event of events)
    if (event.type === 'message_out') t.notOk(turnSchema.validate(event.turn).error, `${name}: the turn matches the schema`);
}

/** The part of a value that its pattern covers: complete lists, and objects with the keys of the pattern. */
function picked(value: Json | undefined, pattern: Json): Json {
  if (Array.isArray(value) && Array.isArray(pattern)) return value.map((item, i) => picked(item, pattern[i] ?? null));
  if (!isPlain(value) || !isPlain(pattern)) return value ?? null;
  return Object.fromEntries(Object.keys(pattern).map((key) => [key, picked(value[key], pattern[key] ?? null)]));
}

function isPlain(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
