import t from 'tap';
import type { JsonObject } from '../../../../core/json.js';
import type { Signal, StepInput, StepOutput } from '../../../../plugins/journeys/engine/session.js';
import { shareDefinition } from '../../../../plugins/journeys/engine/shared-definition.js';
import { runStep, shortStep } from '../../../../plugins/journeys/engine/step.task.js';
import { runTurn } from '../../../../plugins/journeys/running/run-turn.js';
import { containerOf, type Draft } from './journey-under-test.js';

const OPEN = 'MobilePrimitives.OpenResponse';
const SAY = 'MobilePrimitives.Message';
const SELECT = 'MobilePrimitives.SelectOneResponse';
const SET = 'Svc.SetVariable';
/** Milliseconds of CPU time that a step may take on the main thread before a worker takes it, with much to spare for a busy machine. */
const LIMIT_MS = 100;

const environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed' };
const start: Signal = { kind: 'start', session: 's', journey: 'j', revision: 'main', contact: { name: 'Bo' }, globals: {} };
const answer = (text: string): Signal => ({ kind: 'input', input: { text, type: 'text' } });

const inputOf = (draft: Draft, signal: Signal = start, session: string | null = null): StepInput => ({
  definitions: { main: shareDefinition(containerOf(draft)) },
  session,
  signal,
  environment,
  report: { events: ['message_out', 'wait', 'failure'], context: true },
});
const question = (more: Partial<Draft> = {}): Draft => ({
  texts: { q: 'What?', s: 'You said @q', ...more.texts },
  blocks: [{ name: 'q', type: OPEN, config: { prompt: 'q' } }, ...(more.blocks ?? [{ name: 's', type: SAY, config: { prompt: 's' } }])],
});
const sets = (expression: string): Draft =>
  question({ blocks: [{ name: 'x', type: SET, config: { assignments: [{ name: 'x', value: expression }] } }] });

function afterStart(draft: Draft, signal: Signal, contact: JsonObject = {}): StepInput {
  const input = inputOf(draft);
  return { ...input, session: runStep({ ...input, signal: { ...start, contact } as Signal }).session, signal };
}

t.test('a small step runs on this thread', async (t) => {
  t.match(shortStep(inputOf(question())), { next: { kind: 'wait' }, events: [{ type: 'message_out' }, { type: 'wait' }] });
  t.match(shortStep(afterStart(question(), answer('yes'))), {
    next: { kind: 'end' },
    events: [{ turn: { text: { body: 'You said yes' } } }],
  });
  t.equal(shortStep({ ...inputOf(question()), report: { context: true } }), undefined, 'a report with all events is for a worker');
});

const word = 'word '.repeat(100);
const hostile: Readonly<Record<string, StepInput>> = {
  'a regular expression': afterStart(sets("has_pattern(q, '(a+)+b')"), answer('a'.repeat(40))),
  'a date in a long text': afterStart(sets('has_date(q)'), answer('1/'.repeat(500))),
  'blocks in a circle': inputOf({
    texts: { s: 'round' },
    blocks: [{ name: 's', type: SAY, config: { prompt: 's' }, exits: [{ to: 's' }] }],
  }),
  'many long messages': inputOf({
    texts: { s: word.repeat(20) },
    blocks: Array.from({ length: 150 }, (_, i) => ({ name: `s${i}`, type: SAY, config: { prompt: 's' } })),
  }),
  'a large value that is printed often': afterStart(
    {
      texts: { q: 'What?', s: '@contact.about '.repeat(500) },
      blocks: [
        { name: 'q', type: OPEN, config: { prompt: 'q' } },
        { name: 's', type: SAY, config: { prompt: 's' } },
      ],
    },
    answer('x'),
    { about: word.repeat(20) },
  ),
  'a list in a list': afterStart(sets('map(1..100, &(map(1..100, &(&1 * 2))))'), answer('x')),
  'a text that grows': afterStart(
    sets("len(rept('0123456789', 6000)) + len(rept('0123456789', 6000)) + len(rept('0123456789', 6000))"),
    answer('x'),
  ),
  'a long expression': afterStart(sets(`upper('${'x'.repeat(60_000)}')`), answer('x')),
  'many choices and a long answer': afterStart(
    {
      texts: { q: 'Which?', ...Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`o${i}`, `Option number ${i}`])) },
      blocks: [
        {
          name: 'q',
          type: SELECT,
          config: { prompt: 'q', choices: Array.from({ length: 900 }, (_, i) => ({ name: `n${i}`, prompt: `o${i}` })) },
        },
      ],
    },
    answer(word.repeat(3)),
  ),
  'a long answer': afterStart(question(), answer(word.repeat(20))),
  'a large session': afterStart(question(), answer('x'), { about: word.repeat(40) }),
  'a large definition': afterStart(question({ texts: { more: word.repeat(300) } }), answer('x')),
  'a session of a later release': { ...inputOf(question(), answer('x')), session: '{"v":2}' },
};

t.test('a step that may be long is left to a worker, soon', async (t) => {
  for (const [what, input] of Object.entries(hostile)) {
    const { user, system } = process.cpuUsage();
    t.equal(shortStep(input), undefined, what);
    const took = process.cpuUsage();
    const ms = (took.user + took.system - user - system) / 1000;
    t.ok(ms < LIMIT_MS, `${what}: ${ms.toFixed(1)} ms`);
  }
});

t.test('after a step that was too long, the next ones of its definition go to a worker', async (t) => {
  const draft = question({
    texts: { s: 'Bye' },
    blocks: [{ name: 's', type: SAY, config: { prompt: 's' }, exits: [{ test: "has_pattern(q, 'a')", to: null }, { to: null }] }],
  });
  const input = afterStart(draft, answer('x'));
  t.ok(shortStep(inputOf(draft)), 'the first question is short');
  t.equal(shortStep(input), undefined);
  for (let step = 0; step < 50; step++) t.equal(shortStep(inputOf(draft)), undefined);
  t.ok(shortStep(inputOf(draft)), 'then it is tried again');
});

t.test('only the first step in a turn of the event loop runs on this thread, and only for callers that allow it', async (t) => {
  const { definitions, report } = inputOf(question({ texts: { q: 'Here?' } }));
  let tasks = 0;
  const workers = {
    async run(_: unknown, input: StepInput): Promise<unknown> {
      tasks++;
      return runStep(input);
    },
  };
  const perform = async () => t.fail('no effect is performed');
  const turn = (here: boolean) =>
    runTurn({ workers, perform, definitions, session: null, signal: start, environment, report, here } as never);
  const results = await Promise.all([turn(true), turn(true), turn(true)]);
  t.equal(tasks, 2);
  const sessions = results.map(({ session }: Pick<StepOutput, 'session'>) => session);
  t.equal(new Set(sessions).size, 1, 'all have the same result');
  await new Promise((resolve) => setImmediate(resolve));
  await turn(true);
  t.equal(tasks, 2, 'the next turn of the event loop has a step of its own');
  await new Promise((resolve) => setImmediate(resolve));
  await turn(false);
  t.equal(tasks, 3);
});
