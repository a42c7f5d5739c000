import t from 'tap';
import type { EffectResult, HttpAnswer } from '../../../../plugins/journeys/engine/effect.js';
import { lintJourney } from '../../../../plugins/journeys/engine/lint/lint.js';
import { containerOf, type Draft, seen, Talk } from './journey-under-test.js';

/** A menu, a validated question, an HTTP request, and a hand-over to people when all else fails. */
const orderHelp: Draft = {
  texts: {
    menu: { eng: 'Hi @contact.name, what do you need?', fra: 'Bonjour @contact.name, que désirez-vous ?' },
    track: { eng: 'Track order', fra: 'Suivre' },
    human: { eng: 'Talk to a person', fra: 'Parler à quelqu’un' },
    which: { eng: 'Which order number?', fra: 'Quel numéro ?' },
    again: { eng: 'An order number has six digits.', fra: 'Un numéro a six chiffres.' },
    answer: { eng: 'Order @order_no is @order.json.state.', fra: 'La commande @order_no : @order.json.state.' },
  },
  blocks: [
    {
      name: 'topic',
      type: 'MobilePrimitives.SelectOneResponse',
      config: {
        prompt: 'menu',
        choices: [
          { name: 'track', prompt: 'track' },
          { name: 'human', prompt: 'human' },
        ],
      },
      vendor_metadata: { svc: { card: 'Menu', presentation: 'buttons' } },
      exits: [
        { name: 'track', test: 'block.value == "track"', to: 'order_no' },
        { name: 'human', test: 'block.value == "human"', to: 'hand' },
        { name: 'other', to: 'topic' },
      ],
    },
    {
      name: 'order_no',
      type: 'MobilePrimitives.OpenResponse',
      config: {
        prompt: 'which',
        max_response_characters: 20,
        validate: 'has_pattern(block.response, "^[0-9]{6}$")',
        on_invalid: { max_attempts: 2, message: 'again' },
      },
      exits: [
        { name: 'ok', test: 'block.error = null', to: 'order' },
        { name: 'bad', to: 'hand' },
      ],
    },
    {
      name: 'order',
      type: 'Svc.Http',
      config: {
        method: 'GET',
        url: 'https://api.example/orders/@order_no',
        headers: [['accept', 'application/json']],
        timeout_ms: 5000,
        mode: 'sync',
      },
      exits: [
        { name: 'found', test: 'order.status = 200', to: 'answer' },
        { name: 'failed', to: 'hand' },
      ],
    },
    { name: 'answer', type: 'MobilePrimitives.Message', config: { prompt: 'answer' }, exits: [{ to: null }] },
    { name: 'hand', type: 'Svc.Handover', config: { note: 'order @order_no' }, exits: [{ to: null }] },
  ],
};

const answered = (answer: HttpAnswer | null): EffectResult =>
  ({ kind: 'http', call: {}, answer, ...(answer === null && { error: 'timeout' }) }) as unknown as EffectResult;
const start = (language: string): Talk => {
  const talk = new Talk({ main: containerOf(orderHelp) });
  talk.start({ contact: { name: 'Bo', language } });
  return talk;
};

t.test('the journey finds an order', async (t) => {
  t.strictSame(lintJourney(containerOf(orderHelp)), []);
  const talk = start('eng');
  t.strictSame(seen(talk.last!), ['Hi Bo, what do you need? [Track order] [Talk to a person]']);
  t.strictSame(seen(talk.say('what?')), ['Hi Bo, what do you need? [Track order] [Talk to a person]']);
  t.strictSame(seen(talk.say('track ORDER')), ['Which order number?']);
  t.strictSame(seen(talk.say('12345')), ['An order number has six digits.', 'Which order number?']);
  t.match(talk.say('123456').next, { kind: 'effect', effect: { method: 'GET', url: 'https://api.example/orders/123456' } });
  const value = answered({ status: 200, headers: {}, body: '{"state":"on its way"}' });
  t.strictSame(seen(talk.send({ kind: 'result', value })), ['Order 123456 is on its way.']);
  t.strictSame(talk.last?.next, { kind: 'end' });
});

t.test('the journey hands over when the service fails or the answer stays invalid', async (t) => {
  const lost = start('fra');
  lost.say('Suivre');
  lost.say('123456');
  const handed = { type: 'handed_over', note: 'order 123456' };
  t.match(
    lost.send({ kind: 'result', value: answered(null) }).events.find(({ type }) => type === 'handed_over'),
    handed,
  );
  t.match([lost.session?.status, lost.last?.next], ['ended', { kind: 'end' }]);

  const hopeless = start('eng');
  hopeless.say('Track order');
  for (const text of ['a', 'b', 'c']) hopeless.say(text);
  t.match(
    hopeless.last?.events.find(({ type }) => type === 'handed_over'),
    { note: 'order c' },
  );
});
