import { type Check, expect } from '../check.js';
import { gotOf, isSuccess } from '../exchange.js';
import { signatureChecks, timingChecks } from '../signature-checks.js';
import { statusOf } from '../signed.js';
import { CONTACT, Webhook, type WebhookOptions } from './webhook.js';

const INBOUND = 'Resources, inbound webhook event';
const file = {
  file: '/usr/local/media/1',
  id: 'conformance-file',
  link: 'https://files.invalid/1',
  mime_type: 'image/png',
  sha256: '9f86d081',
};

/** Every type of inbound message, with its content. */
const types: Readonly<Record<string, object>> = {
  audio: { audio: file },
  voice: { voice: file },
  video: { video: file },
  image: { image: { ...file, caption: 'A picture' } },
  document: { document: { ...file, caption: 'A form' } },
  location: { location: { address: '1 Main Street', name: 'Library', latitude: 50.08, longitude: 14.43 } },
  system: { system: { body: 'The contact changed its number' } },
  contacts: {
    contacts: [
      {
        name: { first_name: 'Ann', formatted_name: 'Ann Lee', last_name: 'Lee' },
        phones: [{ phone: '+999 000', type: 'HOME', wa_id: CONTACT }],
      },
    ],
  },
};

interface EventCheck {
  readonly id: string;
  readonly title: string;
  readonly section: string;
  readonly fix: string;
  readonly level?: Check<Webhook>['level'];
  readonly implies?: readonly string[];
  /** The events, with their subscription unless it is that of the network, and further headers. */
  events(subject: Webhook): readonly { readonly body: object; readonly subscription?: string; readonly msgappId?: string }[];
}

/** A check that sends events, one after the other, and expects 2XX for each. */
const accepts = ({ events, ...check }: EventCheck): Check<Webhook> => ({
  level: 'MUST',
  needs: ['W-01'],
  ...check,
  sends: `signed events: ${check.title.replace(/^accepts /, '')}`,
  async run(subject) {
    for (const { body, subscription, msgappId } of events(subject)) {
      const headers: (readonly [string, string])[] = [
        ...(subscription === undefined ? [] : [[subject.header('Hook-Subscription'), subscription] as const]),
        ...(msgappId === undefined ? [] : [[`X-${subject.network[0]!.toUpperCase()}${subject.network.slice(1)}-Id`, msgappId] as const]),
      ];
      const exchange = await subject.post(JSON.stringify(body), { headers });
      expect(isSuccess(exchange), `a 2XX response to ${JSON.stringify(body).slice(0, 100)}…`, gotOf(exchange));
    }
  },
});

export const checksOfWebhooks: readonly Check<Webhook>[] = [
  {
    id: 'W-01',
    level: 'MUST',
    section: INBOUND,
    title: 'accepts a signed event',
    sends: 'a signed inbound text',
    fix: 'Check that the URL is that of the webhook, that the process runs, and that it verifies with this secret.',
    async run(subject) {
      const exchange = await subject.post(subject.sample('Hello'));
      expect(isSuccess(exchange), 'a 2XX response to a signed event', gotOf(exchange));
    },
  },
  ...timingChecks(['W-02', 'W-03', 'W-04'], ['W-01']),
  ...signatureChecks(['W-05', 'W-06', 'W-07', 'W-08', 'W-09', 'W-10', 'W-11', 'W-12', 'W-13', 'W-14'], ['W-01']),
  accepts({
    id: 'W-15',
    section: INBOUND,
    title: 'accepts every type of inbound message',
    fix: 'Accept every type, also those that you do not use: a refused event is lost, because 4XX cancels its retries.',
    events: (subject) => Object.entries(types).map(([type, content]) => ({ body: subject.inbound({ type, ...content }) })),
  }),
  accepts({
    id: 'W-16',
    section: INBOUND,
    title: 'accepts replies to buttons and lists',
    fix: 'Read interactive.button_reply and interactive.list_reply, and button.text of template buttons.',
    events: (subject) => [
      { body: subject.inbound({ type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } } }) },
      {
        body: subject.inbound({
          type: 'interactive',
          interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'A', description: '' } },
        }),
      },
      { body: subject.inbound({ type: 'button', button: { text: 'Stop', payload: null } }) },
    ],
  }),
  accepts({
    id: 'W-17',
    section: 'States, delivery status of a sent message',
    title: 'accepts every status',
    fix: 'Accept sent, delivered, read and failed, in any order: the timestamp decides which one is current.',
    events: (subject) => ['sent', 'delivered', 'read', 'failed'].map((status) => ({ body: subject.status(status) })),
  }),
  accepts({
    id: 'W-18',
    section: 'Resources, notification error object',
    title: 'accepts a failed status with errors',
    fix: 'Read errors beside status; each error has code, title, details and href.',
    events: (subject) => [
      {
        body: subject.status('failed', {
          errors: [{ code: 131026, title: 'Undeliverable', details: 'No such user', href: 'https://a.invalid' }],
        }),
      },
    ],
  }),
  accepts({
    id: 'W-19',
    section: INBOUND,
    title: 'accepts a message with errors instead of content',
    fix: 'Accept messages of the types unknown and unsupported, which have errors and no content.',
    events: (subject) => [
      { body: subject.inbound({ type: 'unknown', errors: [{ code: 131051, title: 'Unsupported', details: 'A poll' }] }) },
    ],
  }),
  accepts({
    id: 'W-20',
    level: 'SHOULD',
    section: INBOUND,
    title: 'accepts reactions, also removed ones',
    fix: 'Read reaction.message_id and reaction.emoji; the emoji is missing when the contact removed the reaction.',
    events: (subject) => [
      { body: subject.inbound({ type: 'reaction', reaction: { message_id: 'a', emoji: '👍' } }) },
      { body: subject.inbound({ type: 'reaction', reaction: { message_id: 'a' } }) },
    ],
  }),
  accepts({
    id: 'W-21',
    section: INBOUND,
    title: 'accepts a reply, with the message that it replies to',
    fix: 'Treat context as optional; it may have from and id, or only marks such as forwarded.',
    events: (subject) => [
      { body: subject.inbound({ type: 'text', text: { body: 'Yes' }, context: { from: CONTACT, id: 'posthorn-conformance-0' } }) },
      { body: subject.inbound({ type: 'text', text: { body: 'Look' }, context: { forwarded: true } }) },
    ],
  }),
  accepts({
    id: 'W-22',
    level: 'SHOULD',
    section: 'Resources, sent-message event',
    title: 'accepts sent messages',
    fix: 'Accept events with the subscription of the service: the posted message with from, id, timestamp and _vnd.',
    events(subject) {
      const id = subject.id();
      return [{ body: subject.sent(id, 'Token'), subscription: subject.service, msgappId: id }];
    },
  }),
  accepts({
    id: 'W-23',
    level: 'SHOULD',
    section: 'Events, subscriptions',
    title: 'accepts messages of journeys',
    fix: 'Accept events with the subscription journey_outbound; their format is that of sent messages.',
    events(subject) {
      const id = subject.id();
      return [{ body: subject.sent(id, 'Journey'), subscription: 'journey_outbound', msgappId: id }];
    },
  }),
  accepts({
    id: 'W-24',
    section: INBOUND,
    title: 'accepts unknown fields and types',
    implies: ['W-13'],
    fix: 'Ignore fields and types that you do not know: the platform and the network add new ones.',
    events: (subject) => [
      { body: { ...subject.inbound({ type: 'text', text: { body: 'hi' }, unknown_field: {} }), unknown_field: 1 } },
      { body: subject.inbound({ type: 'conformance_unknown', conformance_unknown: {} }) },
    ],
  }),
  accepts({
    id: 'W-25',
    section: 'Events, rule 1',
    title: 'accepts an event that arrives twice',
    fix: 'Respond 2XX to an event that you have processed, and drop it by its message id.',
    events(subject) {
      const body = subject.inbound({ type: 'text', text: { body: 'Twice' } });
      return [{ body }, { body }];
    },
  }),
  accepts({
    id: 'W-26',
    level: 'SHOULD',
    section: INBOUND,
    title: 'accepts a body of 200 KB',
    fix: 'Raise the limit of your body parser to 1 MB; contact cards may contain images.',
    events: (subject) => [{ body: subject.inbound({ type: 'text', text: { body: 'long '.repeat(40_000) } }) }],
  }),
  {
    id: 'W-27',
    level: 'SHOULD',
    section: 'Limits, webhook timing and retries, 3',
    title: 'responds 4XX to a body that is not JSON',
    sends: 'signed bytes that are not JSON',
    needs: ['W-01'],
    fix: 'Respond 400 when the body cannot be parsed: a repetition cannot succeed, so 5XX only costs retries.',
    async run(subject) {
      const exchange = await subject.post('{"messages": [');
      expect(statusOf(exchange) >= 400 && statusOf(exchange) < 500, 'a 4XX response', gotOf(exchange));
    },
  },
  {
    id: 'W-28',
    level: 'MUST',
    section: 'Limits, webhook timing and retries',
    title: 'accepts two events at the same time',
    sends: 'two signed events at the same time',
    needs: ['W-01'],
    fix: 'Serve requests concurrently: the platform sends events of different conversations at the same time.',
    async run(subject) {
      const both = await Promise.all([1, 2].map((n) => subject.post(subject.sample(`Number ${n} of two`), { isUnpaced: n === 2 })));
      for (const exchange of both) expect(isSuccess(exchange), 'a 2XX response to each of two events', gotOf(exchange));
    },
  },
];

export { Webhook, type WebhookOptions };
