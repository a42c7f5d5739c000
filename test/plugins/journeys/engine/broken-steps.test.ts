import t from 'tap';
import { TaskFailed, type TaskFailure } from '../../../../core/ports/workers.js';
import { readContext } from '../../../../plugins/journeys/engine/context.js';
import type { EffectResult } from '../../../../plugins/journeys/engine/effect.js';
import type { Signal, StepInput } from '../../../../plugins/journeys/engine/session.js';
import { shareDefinition } from '../../../../plugins/journeys/engine/shared-definition.js';
import { runStep } from '../../../../plugins/journeys/engine/step.task.js';
import { runTurn } from '../../../../plugins/journeys/running/run-turn.js';
import { containerOf, seen, Talk } from './journey-under-test.js';

const OPEN = 'MobilePrimitives.OpenResponse';
const SAY = 'MobilePrimitives.Message';

t.test('a step that fails on a result fails the effect; any other failing step fails the session without a retry', async (t) => {
  const container = containerOf({
    texts: { q: 'What?', w: 'Went wrong: @block.error', s: 'Status @ask' },
    blocks: [
      { name: 'q', type: OPEN, config: { prompt: 'q' } },
      { name: 'first', type: SAY, config: { prompt: 'q' } },
      { name: 'ask', type: 'Svc.Http', config: { url: 'https://a.test/' }, exits: [{ label: 'error', to: 'wrong' }, { to: 'said' }] },
      { name: 'said', type: SAY, config: { prompt: 's' }, exits: [{ to: null }] },
      { name: 'wrong', type: SAY, config: { prompt: 'w' }, exits: [{ to: null }] },
    ],
  });
  const definitions = { r: shareDefinition(container) };
  const environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 's' };
  let posts = 0;
  const perform = async (): Promise<EffectResult> => {
    posts++;
    return { kind: 'content', card: { uuid: 'c', name: 'c', text: 'c', media: [] } };
  };
  const workersBreakingOver = (breaks: (input: StepInput) => boolean, reason: TaskFailure = 'threw') => ({
    run: async (_type: unknown, input: StepInput) => {
      if (breaks(input)) throw new TaskFailed('journey.step', reason, 'Maximum call stack size exceeded');
      return runStep(input);
    },
  });
  const start = { kind: 'start', session: 's1', journey: 'j', revision: 'r', contact: { name: 'Ann' }, globals: {} } as const;
  const input: Signal = { kind: 'input', input: { type: 'text', text: 'hi' } };
  const turn = (workers: object, session: string | null, signal: Signal) =>
    runTurn({ workers: workers as never, perform, definitions, session, signal, environment });

  const broken = /^task 'journey.step' threw: Maximum call stack/;
  const atStart = await turn(
    workersBreakingOver(() => true),
    null,
    start,
  );
  t.match(atStart.next, { kind: 'end', failure: { code: 'step_failed', reason: broken } });
  t.match(atStart.events, [{ type: 'failure', code: 'step_failed', reason: broken }]);
  t.strictSame(atStart.head, { status: 'failed', revisions: ['r'], contact: { name: 'Ann' }, card: '', block: null, turns: 1 });
  t.match(readContext(atStart.session), { contact: { name: 'Ann' } });

  const { session } = await turn(
    workersBreakingOver(() => false),
    null,
    start,
  );
  const atAnswer = await turn(
    workersBreakingOver(({ signal }) => signal.kind === 'input', 'timed out'),
    session,
    input,
  );
  t.match(atAnswer, { next: { kind: 'end', failure: { code: 'step_failed' } }, head: { status: 'failed', revisions: ['r'], turns: 2 } });

  let unlucky = 1;
  const workers = workersBreakingOver(() => unlucky-- > 0, 'timed out');
  t.match((await turn(workers, null, start)).next, { kind: 'wait' }, 'a step that timed out is retried once');

  t.equal(posts, 0);
  const overResult = await turn(
    workersBreakingOver(({ signal }) => signal.kind === 'result' && signal.value.kind === 'content'),
    session,
    input,
  );
  t.strictSame(seen(overResult), ['What?', 'Went wrong: step_failed'], 'the block leaves by its error exit');
  t.equal(posts, 1, 'no request is repeated');

  const again = await turn(
    workersBreakingOver(({ signal }) => signal.kind === 'result'),
    session,
    input,
  );
  t.strictSame(seen(again), ['What?'], 'earlier messages are sent');
  t.match(again, { next: { kind: 'end', failure: { code: 'step_failed' } }, head: { status: 'failed', turns: 2, block: 'ask' } });
  // A failure of the pool itself is thrown, so that the turn can be retried later.
  for (const reason of ['pool stopped', 'cannot be loaded'] as const) {
    const stopped = workersBreakingOver(() => true, reason);
    await t.rejects(turn(stopped, session, input), { name: 'TaskFailed', message: new RegExp(reason) });
  }
});

t.test('form answers with too many JSON levels are invalid', async (t) => {
  const flow = { flow_id: '1', cta: 'Open', screen: 'A' };
  const talk = new Talk({
    main: containerOf({
      texts: { b: 'Fill in', no: 'That is no form' },
      blocks: [
        {
          name: 'form',
          type: 'Svc.FlowMessage',
          config: { body: 'b', flow, on_invalid: { max_attempts: 9, message: 'no' } },
          exits: [{ to: null }],
        },
      ],
    }),
  });
  talk.start();
  for (const levels of [64, 20_000]) {
    const text = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const response = { type: 'nfm_reply', nfm_reply: { response_json: text } };
    t.strictSame(seen(talk.say(text))[0], 'That is no form', `${levels} levels`);
    t.strictSame(seen(talk.say('', { message: { type: 'interactive', interactive: response } }))[0], 'That is no form');
  }
  const least = `{"a":${'['.repeat(63)}${']'.repeat(63)},"n":1e400}`;
  t.equal(talk.say(least).next.kind, 'end');
  t.match(talk.session?.stack.at(-1)?.vars, { form: { payload: { n: null } } }, 'a number that is too large is nil');
});
