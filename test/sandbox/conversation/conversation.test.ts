import t from 'tap';
import { follow } from '../../../sandbox/conversation/conversation.js';

const AT = '2026-01-05T08:00:00.000Z';
const sent = { from: '+1', text: 'hi', id: 'ext-1' };
const received = { message: { uuid: 'm1', external_id: 'ext-1', conversation: 'c1' } };
const button = (title: string) => ({ reply: { id: title, title } });
const question = {
  message: {
    uuid: 'r1',
    conversation: 'c1',
    type: 'interactive',
    content: { interactive: { body: { text: 'Which one?\nSay it.' }, action: { buttons: [button('A'), button('B')] } } },
  },
};
const turn = { message: 'm1', session: { state: 'waiting', card: 'Menu' }, failure: null };

/** A delivery as the event delivery.queued has it. */
const delivery = (uuid: string, state: string, more: object = {}) => ({
  delivery: {
    uuid,
    subscription: 'msgapp',
    kind: 'network',
    event: 'message:m1',
    message: 'm1',
    conversation: 'c1',
    state,
    attempts: 1,
    ...more,
  },
});
const ofReply = { subscription: 'channel', kind: 'channel', event: 'message:r1', message: 'r1' };
const answered = { status: 200, duration_ms: 3.2, response: '{"signature":"ok"}', error: null };

function started(...events: [string, object][]) {
  const talk = follow(sent);
  const note = (name: string, data: object, at = AT): void => talk.note({ id: '1', at, name, data });
  for (const [name, data] of events) note(name, data);
  return { ...talk, note };
}

t.test('a conversation is open until the message is recorded and answered, and all deliveries have ended and are reported', async (t) => {
  const talk = started();
  t.strictSame(talk.unfinished(), ['the message is not recorded yet']);
  talk.note('message.received', received);
  t.strictSame(talk.unfinished(), ['no journey has replied yet']);
  talk.note('delivery.queued', delivery('d1', 'queued'));
  talk.note('message.queued', question);
  talk.note('journey.turn_taken', turn);
  t.strictSame(talk.unfinished(), ['the delivery of message to msgapp is still in flight']);
  talk.note('delivery.queued', delivery('d2', 'queued', ofReply));
  talk.note('delivery.attempted', { ...delivery('d1', 'sending'), attempt: answered });
  talk.note('delivery.settled', delivery('d1', 'delivered'));
  t.strictSame(talk.unfinished(), ['the delivery of reply to channel is still in flight']);
  talk.note('delivery.attempted', { ...delivery('d2', 'sending', ofReply), attempt: answered });
  talk.note('delivery.settled', delivery('d2', 'delivered', ofReply));
  t.match(talk.unfinished(), [/^the connector has not reported a status of “Which one\?/], 'the example connector reports statuses');
  talk.note('message.status', { message: { uuid: 'r1', status: 'sent' } });
  t.equal(talk.unfinished().length, 1);
  talk.note('message.status', { message: { uuid: 'r1', status: 'delivered' } });
  t.strictSame(talk.unfinished(), []);
  t.strictSame(talk.messages(), ['m1', 'r1']);
  t.strictSame([talk.knows('d1'), talk.knows('d3')], [true, false]);
  t.match(talk.result(), {
    sent,
    replies: [{ uuid: 'r1', text: 'Which one?\nSay it.', options: ['A', 'B'], status: 'delivered' }],
    deliveries: [
      { uuid: 'd1', subscription: 'msgapp', about: 'message', state: 'delivered', status: 200, ms: 3, signature: 'ok' },
      { uuid: 'd2', subscription: 'channel', about: 'reply', state: 'delivered' },
    ],
    journey: { state: 'waiting', card: 'Menu', failure: null },
    open: [],
  });
});

t.test('a conversation stays open for a late journey, however long no event arrives', async (t) => {
  const talk = started(['message.received', received]);
  talk.note('contact.changed', { contact: { id: '+1' }, keys: [] }, '2026-01-05T09:00:00.000Z');
  t.strictSame(talk.unfinished(), ['no journey has replied yet']);
});

t.test('a conversation ends with the event that no journey answers', async (t) => {
  const talk = started(['message.received', received], ['journey.none_fits', { message: 'other' }]);
  t.equal(talk.unfinished().length, 1);
  talk.note('journey.none_fits', { message: 'm1' });
  t.strictSame(talk.unfinished(), []);
  t.match(talk.result(), { replies: [], journey: null });
});

t.test('a delivery that awaits a retry counts as finished, with the time of the retry', async (t) => {
  const talk = started(['message.received', received], ['journey.turn_taken', turn], ['delivery.queued', delivery('d1', 'queued')]);
  talk.note('delivery.attempted', {
    ...delivery('d1', 'retry_wait', { due_at: '2026-01-05T08:00:16.800Z' }),
    attempt: { status: 500, duration_ms: 2, response: 'oh', error: 'the endpoint answered 500' },
  });
  t.strictSame(talk.unfinished(), []);
  t.match(talk.result().deliveries, [{ state: 'retry_wait', status: 500, retry_in: 17, error: 'the endpoint answered 500', attempts: 1 }]);
  t.notHas(talk.result().deliveries[0], 'signature');
});

t.test('a reply through another connector counts as finished: its reports are unknown', async (t) => {
  const talk = started(['message.received', received], ['message.queued', question], ['journey.turn_taken', turn]);
  talk.note('delivery.queued', delivery('d2', 'queued', ofReply));
  talk.note('delivery.attempted', {
    ...delivery('d2', 'sending', ofReply),
    attempt: { ...answered, response: '{"messages":[{"id":"x"}]}' },
  });
  talk.note('delivery.settled', delivery('d2', 'delivered', ofReply));
  t.strictSame(talk.unfinished(), []);
});

t.test('messages of other contacts are ignored', async (t) => {
  const talk = started(
    ['message.received', { message: { ...received.message, external_id: 'ext-2', conversation: 'c2' } }],
    ['message.received', received],
    ['message.queued', { message: { ...question.message, conversation: 'c2' } }],
    ['delivery.queued', delivery('d9', 'queued', { conversation: 'c2' })],
    ['journey.turn_taken', { ...turn, message: 'm2' }],
  );
  t.strictSame(talk.unfinished(), ['no journey has replied yet']);
  t.match(talk.result(), { replies: [], deliveries: [], journey: null });
});

t.test('a failed journey has its reason in the result', async (t) => {
  const talk = started(['message.received', received], ['journey.turn_taken', { ...turn, failure: 'too_many_steps: it goes in circles' }]);
  t.match(talk.result().journey, { failure: 'too_many_steps: it goes in circles' });
});
