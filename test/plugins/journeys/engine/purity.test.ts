import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { InlinePool } from '../../../../core/adapters/workers/inline-pool.js';
import { PiscinaPool } from '../../../../core/adapters/workers/piscina-pool.js';
import type { Json, JsonObject } from '../../../../core/json.js';
import { turnSchema } from '../../../../core/turns/turn.js';
import type { Container } from '../../../../plugins/journeys/engine/floip.js';
import { readReport } from '../../../../plugins/journeys/engine/report-text.js';
import type { JourneyEvent, Session, Signal, StepInput } from '../../../../plugins/journeys/engine/session.js';
import { shareDefinition } from '../../../../plugins/journeys/engine/shared-definition.js';
import type { StepResult } from '../../../../plugins/journeys/engine/step.js';
import { runStep, shortStep } from '../../../../plugins/journeys/engine/step.task.js';
import { journeyStep } from '../../../../plugins/journeys/running/run-turn.js';
import { runs } from '../../../forms.js';
import { containerOf, type Draft, Talk } from './journey-under-test.js';

interface Case extends Draft {
  readonly description: string;
  readonly start?: JsonObject;
  readonly others?: Readonly<Record<string, Draft>>;
  readonly signals?: readonly (string | JsonObject)[];
}

const folder = 'test/plugins/journeys/engine/step';
const cases = readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case[]);
const environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed' };

const signalOf = (given: string | JsonObject): Signal =>
  typeof given === 'string'
    ? { kind: 'input', input: { text: given, type: 'text' } }
    : 'kind' in given
      ? (given as unknown as Signal)
      : ({ kind: 'input', input: { text: '', type: 'text', ...given } } as unknown as Signal);
const startOf = ({ start = {} }: Case): Signal =>
  ({ kind: 'start', session: 'session', journey: 'journey', revision: 'main', contact: {}, globals: {}, ...start }) as Signal;
const containersOf = (item: Case): Record<string, Container> =>
  Object.fromEntries([
    ['main', containerOf(item)],
    ...Object.entries(item.others ?? {}).map(([name, draft]) => [name, containerOf(draft)]),
  ]);

t.test('every case of every block has the same result in the inline pool and in piscina', async (t) => {
  const inline = new InlinePool();
  const piscina = new PiscinaPool({ maxThreads: 2 });
  t.teardown(() => Promise.all([inline.stop(), piscina.stop()]));
  let steps = 0;
  for (const item of cases) {
    // Cases have the same revision ids, so a worker that mixed definitions up would run the wrong one.
    const definitions = Object.fromEntries(
      Object.entries(containersOf(item)).map(([revision, container]) => [revision, shareDefinition(container)]),
    );
    let session: string | null = null;
    for (const given of [startOf(item), ...(item.signals ?? []).map(signalOf)]) {
      const input: StepInput = { definitions, session, signal: given, environment };
      const [one, other] = await Promise.all([inline.run(journeyStep, input), piscina.run(journeyStep, input)]);
      if (JSON.stringify(one) !== JSON.stringify(other)) t.strictSame(other, one, item.description);
      session = one.session;
      steps++;
    }
  }
  t.ok(steps > cases.length, `${steps} steps of ${cases.length} cases`);
});

const texts = fc.oneof(
  fc.constantFrom('yes', '1', '2, 3', 'Red', '42', '-1.5', '{"a":1}', '-33.9, 18.4', 'template-btn-idx-0', '@contact.name', ' '),
  fc.string({ maxLength: 20 }),
);
const call: JsonObject = {
  method: 'GET',
  url: 'u',
  headers: {},
  body: null,
  json: null,
  query: {},
  params: {},
  status: 200,
  mocked: false,
  failures: [],
};
const results: readonly JsonObject[] = [
  { kind: 'http', call, answer: { status: 200, headers: {}, body: '{"a":[1]}' } },
  { kind: 'http', call: { ...call, status: null }, answer: null, error: 'timeout' },
  { kind: 'deferred', call },
  { kind: 'template' },
  { kind: 'skill', output: { a: 1 }, success: true, calls: [call] },
  { kind: 'content', card: { uuid: 'c', name: 'c', text: '@contact.name', media: [{ type: 'image', link: 'https://a.test/a' }] } },
  { kind: 'model', text: 'hello', calls: [], tokens: { input: 1, output: 1 }, elapsedMs: 1 },
  { kind: 'model', text: '', calls: [{ id: '1', name: 'route_done', arguments: '{"' }], tokens: { input: 1, output: 1 }, elapsedMs: 1 },
  { kind: 'failed', code: 'failed', reason: 'it failed' },
];
const signals = fc.array(
  fc.oneof(
    texts.map((text) => ({ kind: 'input', input: { text, type: 'text' } })),
    texts.map((id) => ({ kind: 'input', input: { text: id, type: 'interactive', reply: { id, title: id } } })),
    fc.constantFrom('image', 'location', 'button', 'interactive').map((type) => ({
      kind: 'input',
      input: {
        text: '',
        type,
        message: {
          type,
          [type]: { link: 'https://a.test/a', latitude: 1, longitude: 2, payload: 'yes', nfm_reply: { response_json: '{"a":1}' } },
        },
      },
    })),
    fc.constant({ kind: 'timeout' }),
    fc.constantFrom(...results).map((value) => ({ kind: 'result', value })),
  ) as unknown as fc.Arbitrary<Signal>,
  { maxLength: 8 },
);

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) frozen(item);
  }
  return value;
}

t.test('every session continues in the same way after serialisation', async (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...cases), signals, (item, given) => {
      const [written, kept] = [new Talk(containersOf(item)), new Talk(containersOf(item))];
      for (const signal of [startOf(item), ...given]) {
        const [one, other] = [written.send(signal), kept.send(signal)];
        // The session of `send` went through JSON; this is the frozen object that the step returned.
        kept.session = frozen<Session>(other.session);
        if (JSON.stringify(one) !== JSON.stringify(other)) return false;
      }
      return true;
    }),
    { numRuns: runs(1000) },
  );
  t.pass('1000 random conversations');
});

const shown: readonly JourneyEvent['type'][] = ['message_out', 'wait', 'handed_over', 'failure', 'skill_call', 'http_call'];

t.test('a short step on the main thread has the same result as in a worker', async (t) => {
  const counts = { short: 0, all: 0 };
  const isSame = (item: Case, given: readonly Signal[]): boolean => {
    const definitions = Object.fromEntries(
      Object.entries(containersOf(item)).map(([name, container]) => [name, shareDefinition(container)]),
    );
    let session: string | null = null;
    for (const signal of [startOf(item), ...given]) {
      const input: StepInput = { definitions, session, signal, environment, report: { events: shown, context: true } };
      const output = runStep(input);
      const { session: after, ...expected } = 'report' in output ? { session: output.session, ...readReport(output.report) } : output;
      const short = shortStep(input);
      counts.all++;
      if (short) {
        counts.short++;
        const { session: shortSession, ...report } = short;
        const [one, other] = [report, expected].map((value) => JSON.parse(JSON.stringify(value)));
        if (shortSession !== after || !isDeepStrictEqual(one, other)) return false;
      }
      session = after;
    }
    return true;
  };
  for (const item of cases) t.ok(isSame(item, (item.signals ?? []).map(signalOf)), item.description);
  fc.assert(fc.property(fc.constantFrom(...cases), signals, isSame), { numRuns: runs(1000) });
  t.ok(counts.short > counts.all / 3, `${counts.short} of ${counts.all} steps were short`);
});

const nonsense = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>('@(', '@contact', '1 +', 'r', 'q', [{}], { choices: 5 }, null, [null], [[]], -1, 1e308, { __value__: null }),
);

t.test('blocks of every type with nonsense settings only fail, and never send malformed messages', async (t) => {
  const damages = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), nonsense), { minLength: 1, maxLength: 4 });
  const wellShaped = ({ events }: StepResult): boolean =>
    events.every((event) => event.type !== 'message_out' || turnSchema.validate(event.turn).error === undefined);
  fc.assert(
    fc.property(fc.constantFrom(...cases), damages, signals, (item, damaged, sent) => {
      const containers = structuredClone(containersOf(item));
      for (const [which, where, inside, given] of damaged) {
        const value: unknown = structuredClone(given);
        const blocks = containers.main?.flows[0]?.blocks ?? [];
        const config = (blocks[which % blocks.length]?.config ?? {}) as Record<string, Record<string, unknown>>;
        const keys = [...Object.keys(config), 'timeout', 'on_invalid', 'set_contact_property', 'choices', 'list'];
        const key = keys[where % keys.length] ?? '';
        const within = Object.keys(config[key] ?? {});
        if (inside % 2 === 1 && within.length > 0 && typeof config[key] === 'object')
          config[key][within[inside % within.length] ?? ''] = value;
        else config[key] = value as never;
      }
      const talk = new Talk(containers);
      return [startOf(item), ...sent].every((signal) => wellShaped(talk.send(signal)));
    }),
    { numRuns: runs(1500) },
  );
  t.pass('2000 damaged journeys');
});
