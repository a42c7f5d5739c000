import t from 'tap';
import { ManualClock } from '#core/testing';
import { ConnectedModels } from '../../../../core/adapters/models/connected-models.js';
import { ReplayModel, record } from '../../../../core/adapters/models/replay.js';
import { type Script, ScriptedModel } from '../../../../core/adapters/models/scripted.js';
import type { ModelMessage, ModelOutcome, ModelRequest } from '../../../../core/ports/model.js';

const clock = new ManualClock({ start: new Date('2026-01-05T08:00:00Z') });
const requestOf = (messages: readonly ModelMessage[]): ModelRequest => ({ model: 'any', messages, tools: [] });

/** Runs a conversation with a script: each text is a message of the contact, each object a skill result. */
async function talk(script: Script, ...said: readonly (string | { readonly name: string; readonly output: unknown })[]) {
  const model = new ScriptedModel(script, clock);
  const messages: ModelMessage[] = [{ role: 'system', content: 'You book appointments.' }];
  const answers: ModelOutcome[] = [];
  for (const each of said) {
    if (typeof each === 'string') messages.push({ role: 'user', content: each });
    else messages.push({ role: 'tool', call: 'x', name: each.name, content: JSON.stringify(each.output) });
    const answer = await model.generate(requestOf(messages));
    answers.push(answer);
    if (answer.kind === 'reply') messages.push({ role: 'assistant', content: answer.text, calls: answer.calls });
  }
  return answers;
}
const texts = (answers: readonly ModelOutcome[]) => answers.map((answer) => (answer.kind === 'reply' ? answer.text : answer.code));

t.test('a script replies with the first matching rule that has not replied; the last one repeats', async (t) => {
  const rules = [{ when: { last_user: 'slot' }, say: 'one' }, { when: { last_user: 'slot' }, say: 'two' }, { say: 'else' }];
  t.strictSame(texts(await talk({ rules }, 'a SLOT', 'slot', 'what?', 'slot', 'slot')), ['one', 'two', 'else', 'else', 'else']);
  const only = [
    { when: { last_user: 'slot' }, say: 'one' },
    { when: { last_user: 'slot' }, say: 'two' },
  ];
  t.strictSame(texts(await talk({ rules: only }, 'slot', 'slot', 'slot', 'slot')), ['one', 'two', 'two', 'two']);
});

t.test('rules match the last message, the turn, the instructions and skills that returned since', async (t) => {
  const rules = [
    { when: { tool_result: 'find' }, say: 'I have {{result.slots.0}} or {{result.slots.1}}.' },
    { when: { last_user: '/^to.?morrow$/i' }, call: { find: { day: '{{date+1d}}', said: '{{user}}' } } },
    { when: { turn: 3, system: 'BOOK' }, say: 'third' },
    { say: 'hm' },
  ];
  const answers = await talk({ rules }, 'tomorrow', { name: 'find', output: { slots: ['9:00', '10:30'] } }, 'no', 'third?');
  t.match(answers[0], { calls: [{ name: 'find', arguments: '{"day":"2026-01-06","said":"tomorrow"}' }] });
  t.strictSame(texts(answers).slice(1), ['I have 9:00 or 10:30.', 'hm', 'third'], 'results before the last message do not count');
});

t.test('a script can route, call several skills, and write arguments that are invalid JSON', async (t) => {
  const [answer] = await talk({ rules: [{ say: 'ok', call: { a: {}, b: '{"broken"' }, action: 'handover' }] }, 'hi');
  t.match(answer, {
    text: 'ok',
    calls: [
      { name: 'a', arguments: '{}' },
      { name: 'b', arguments: '{"broken"' },
      { name: 'route_handover', arguments: '{}' },
    ],
  });
});

t.test('a request that matches no rule fails with the nearest rule, or gets the fallback', async (t) => {
  const rules = [
    { when: { last_user: 'slot', turn: 2 }, say: 'x' },
    { when: { last_user: 'book' }, say: 'y' },
  ];
  t.match(await talk({ rules }, 'hello'), [
    { kind: 'failed', code: 'model_no_match', reason: /the nearest is rule 2, but the contact said "hello", not book/ },
  ]);
  t.match(await talk({}, 'hello'), [{ code: 'model_no_match', reason: 'the script has no rules' }]);
  t.strictSame(texts(await talk({ rules, strict: false, fallback: 'Sorry?' }, 'hello')), ['Sorry?']);
});

t.test('a recording replies to the same request, and to one that differs only in dates, times and ids', async (t) => {
  const reply = { text: 'Hello', calls: [], tokens: { input: 3, output: 2 } };
  const asked = (at: string, id: string): ModelRequest =>
    requestOf([
      { role: 'system', content: `It is ${at}. Conversation 7ceb5036-0000-4000-8000-00000000000${id}.` },
      { role: 'assistant', content: '', calls: [{ id: `call-${id}`, name: 'a', arguments: '{}' }] },
      { role: 'tool', call: `call-${id}`, name: 'a', content: '1' },
    ]);
  const model = new ReplayModel({ recordings: [record(asked('2026-01-05T08:00:00Z', '1'), reply)] });
  t.strictSame(await model.generate(asked('2027-06-01 17:30', '2')), { kind: 'reply', ...reply });
  t.match(await model.generate({ ...asked('2027-06-01 17:30', '2'), model: 'other' }), {
    kind: 'failed',
    code: 'model_no_match',
    reason: /the nearest, .*, differs on line \d+: .*any.* was recorded, .*other.* was requested/,
  });
  t.match(await new ReplayModel({}).generate(requestOf([])), { reason: 'nothing was recorded' });
});

t.test('an unknown vendor is named in the failure', async (t) => {
  const models = new ConnectedModels({ http: { send: async () => t.fail('no request is sent') as never }, clock });
  const model = models.open({ vendor: 'crystal-ball', baseUrl: undefined, token: undefined, settings: {} });
  t.match(await model.generate(requestOf([])), { kind: 'failed', code: 'model_not_available', reason: /crystal-ball/ });
});
