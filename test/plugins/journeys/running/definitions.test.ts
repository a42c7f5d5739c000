import t from 'tap';
import { InlinePool } from '../../../../core/adapters/workers/inline-pool.js';
import { PiscinaPool } from '../../../../core/adapters/workers/piscina-pool.js';
import { task, type WorkerPool } from '../../../../core/ports/workers.js';
import type { Order } from '../../../../core/testing/contract.task.js';
import { readContext } from '../../../../plugins/journeys/engine/context.js';
import { readReport, reportText } from '../../../../plugins/journeys/engine/report-text.js';
import type { ReportOptions, Signal, StepText } from '../../../../plugins/journeys/engine/session.js';
import { type SharedDefinition, shareDefinition } from '../../../../plugins/journeys/engine/shared-definition.js';
import { runStep } from '../../../../plugins/journeys/engine/step.task.js';
import { runTurn, type TurnResult } from '../../../../plugins/journeys/running/run-turn.js';
import { containerOf, type DraftBlock, seen } from '../engine/journey-under-test.js';

const environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed' };
const start: Signal = { kind: 'start', session: 'session', journey: 'journey', revision: 'r', contact: {}, globals: {} };
const say: DraftBlock = { name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'text' } };
const saying = (text: string, unused = ''): SharedDefinition => shareDefinition(containerOf({ texts: { text, unused }, blocks: [say] }));

const turn = (workers: Pick<WorkerPool, 'run'>, r: SharedDefinition, more: { signal?: Signal; report?: ReportOptions } = {}) =>
  runTurn({ workers, perform: unexpected, definitions: { r }, session: null, signal: start, environment, ...more });
const unexpected = (): never => t.fail('the journey has no effects') as never;

const pools = { 'the inline pool': () => new InlinePool(), 'the piscina pool': () => new PiscinaPool({ maxThreads: 2 }) };

for (const [name, make] of Object.entries(pools)) {
  t.test(`definitions with the same journey and revision never mix in ${name}`, async (t) => {
    const workers = make();
    t.teardown(() => workers.stop());
    const given = Array.from({ length: 200 }, (_, i) => `text ${i % 2}`);
    const definitions = new Map(['text 0', 'text 1'].map((text) => [text, saying(text)]));
    const results = await Promise.all(given.map((text) => turn(workers, definitions.get(text)!)));
    t.strictSame(
      results.map((result) => seen(result)[0]),
      given,
    );
  });

  t.test(`a report has only the requested events, without the step of messages, and the context in ${name}`, async (t) => {
    const workers = make();
    t.teardown(() => workers.stop());
    const definition = saying('Hello');
    const report = { events: ['message_out', 'wait'], context: true } as const;
    const [full, lean] = await Promise.all([turn(workers, definition), turn(workers, definition, { report })]);
    const steps = ({ events }: TurnResult) => events.flatMap((event) => (event.type === 'message_out' ? [event.step] : []));
    t.match(steps(full), [{ block: { name: 'say' }, resources: [{ uuid: 'text' }] }]);
    t.strictSame(steps(lean), [{ block: {}, context: {}, resources: [], evaluated_resources: [] }]);
    t.ok(full.events.length > lean.events.length);
    t.strictSame(
      lean.events.map((event) => ({ ...event, step: undefined })),
      full.events.flatMap((event) => (event.type === 'message_out' ? { ...event, step: undefined } : [])),
    );
    t.strictSame([full.context, lean.context], [undefined, readContext(full.session)]);
    t.strictSame([lean.session, lean.head, lean.next], [full.session, full.head, full.next]);
  });
}

t.test('a definition is read only when its hash is unknown, and the cache of a worker is bounded', async (t) => {
  const run = (r: SharedDefinition) => runStep({ definitions: { r }, session: null, signal: start, environment });
  const megabytes = 'x'.repeat(5_000_000);
  const definition = saying('first', `1${megabytes}`);
  const unreadable = { ...definition, bytes: new SharedArrayBuffer(definition.bytes.byteLength) };
  const first = run(definition);
  t.strictSame(run(unreadable), first, 'the bytes of a known hash are not read');
  // Two cache generations of 8 MB: each of these needs a generation of its own.
  run(saying('second', `2${megabytes}`));
  run(saying('third', `3${megabytes}`));
  t.throws(() => run(unreadable), SyntaxError, 'the first definition is not in the cache any more');
  t.strictSame(run(definition), first, 'and is compiled from the bytes of the next turn');
});

t.test('a turn after a worker has died compiles the definition again', async (t) => {
  const pool = new PiscinaPool({ maxThreads: 1 });
  t.teardown(() => pool.stop());
  const obey = task<Order, unknown>('test.obey', new URL('../../../../core/testing/contract.task.js', import.meta.url));
  const definition = saying('Still here');
  t.strictSame(seen(await turn(pool, definition)), ['Still here']);
  await t.rejects(pool.run(obey, { kind: 'exit' }), { name: 'TaskFailed', message: /worker died/ });
  t.strictSame(seen(await turn(pool, definition)), ['Still here']);
});

t.test('the text of a report has each place once, and reads as the report', async (t) => {
  const text = runStep({ definitions: { r: saying('Hello') }, session: null, signal: start, environment }) as StepText;
  const events = readReport(text.report).events;
  t.match(events, [
    { type: 'journey_entered', at: { name: 'say' } },
    { type: 'message_out', at: { name: 'say' } },
  ]);
  const { places } = JSON.parse(text.report) as { places: object[] };
  t.ok(places.length < events.length, `${places.length} places for ${events.length} events`);
  const failed = { type: 'failure', code: 'step_failed', reason: 'none' } as const;
  const report = { events: [...events, failed], next: { kind: 'end' }, head: {} as never } as const;
  t.strictSame(readReport(reportText(report)), report);
});

t.test('a report is text, and a large one a clone that has a shared context once', async (t) => {
  const three = ['a', 'b', 'c'].map((name) => ({ ...say, name }));
  const definition = shareDefinition(containerOf({ texts: { text: '@contact.name' }, blocks: three }));
  const run = (about: string) =>
    runStep({ definitions: { r: definition }, session: null, signal: { ...start, contact: { name: 'Bo', about } }, environment });
  t.type((run('') as { report?: unknown }).report, 'string');
  t.notOk('report' in run('x'.repeat(100_000)));
  const workers = { run: async () => run('x'.repeat(100_000)) };
  t.strictSame(seen(await turn(workers as never, definition)), ['Bo', 'Bo', 'Bo']);
});
