import { randomUUID } from 'node:crypto';
import { type Check, expect } from '../check.js';
import { gotOf, isSuccess } from '../exchange.js';
import { signatureChecks, timingChecks } from '../signature-checks.js';
import { statusOf } from '../signed.js';
import { textTurn, turnKinds } from '../turns.js';
import { bodyText, type Connector, contentType, idOf } from './connector.js';

const PAYLOAD = 'Resources, outbound payload';
const LONG = 60_000;

/** The checks of single deliveries: they need nothing but the URL and the secret. */
export const deliveryChecks: readonly Check<Connector>[] = [
  {
    id: 'C-01',
    level: 'MUST',
    section: PAYLOAD,
    title: 'accepts a signed message',
    sends: 'a signed text',
    fix: 'Check that the URL is the endpoint of the channel, that the process runs, and that it verifies with this secret.',
    async run(subject) {
      const exchange = await subject.deliver(textTurn('Hello'));
      expect(isSuccess(exchange), 'a 2XX response to a signed text', gotOf(exchange));
    },
  },
  ...timingChecks(['C-02', 'C-03', 'C-04'], ['C-01']),
  ...signatureChecks(['C-05', 'C-06', 'C-07', 'C-08', 'C-09', 'C-10', 'C-11', 'C-12', 'C-13', 'C-14'], ['C-01']),
  {
    id: 'C-15',
    level: 'SHOULD',
    section: 'Endpoints, Channel API',
    title: 'responds with status 200',
    sends: 'a signed text',
    needs: ['C-01'],
    fix: 'Respond 200. Other 2XX statuses count as delivered, but the API specification names 200.',
    async run(subject) {
      const exchange = await subject.deliver(textTurn('Status 200'));
      expect(statusOf(exchange) === 200, 'status 200', gotOf(exchange));
    },
  },
  {
    id: 'C-16',
    level: 'MUST',
    section: 'Endpoints, Channel API',
    title: 'responds with the content type application/json',
    sends: 'a signed text',
    needs: ['C-01'],
    fix: 'Set the header Content-Type: application/json on the response.',
    async run(subject) {
      const type = contentType(await subject.deliver(textTurn('Content type')));
      expect(/^application\/json\s*(;|$)/i.test(type), 'Content-Type: application/json', type);
    },
  },
  {
    id: 'C-17',
    level: 'MUST',
    section: PAYLOAD,
    title: 'returns its id of the message in messages[0].id',
    sends: 'a signed text',
    needs: ['C-01'],
    fix: 'Respond with {"messages":[{"id":"<your id of the message>"}]}; the id is a text. Statuses and replies refer to it.',
    async run(subject) {
      await subject.accepted(textTurn('An id, please'));
    },
  },
  {
    id: 'C-18',
    level: 'MUST',
    section: PAYLOAD,
    title: 'returns a new id for each message',
    sends: 'two signed texts',
    needs: ['C-17'],
    fix: 'Give every message an id of its own, such as a UUID. The platform stores it to match statuses and replies.',
    async run(subject) {
      const ids = [await subject.accepted(textTurn('First')), await subject.accepted(textTurn('Second'))];
      expect(ids[0] !== ids[1], 'two different ids', `the id ${ids[0]} twice`);
    },
  },
  ...turnKinds.map(
    ({ name, turn }, i): Check<Connector> => ({
      id: `C-${19 + i}`,
      level: 'MUST',
      section: 'Resources, shapes of the turn object',
      title: `accepts ${name}`,
      sends: `a signed message: ${name}`,
      needs: ['C-17'],
      fix: `Handle ${name} in turn, at least as plain text, and return its id. The platform does not send it in another form.`,
      async run(subject) {
        await subject.accepted(turn('How can we help?', (await subject.media()).valid), {}, name);
      },
    }),
  ),
  {
    id: 'C-29',
    level: 'MUST',
    section: PAYLOAD,
    title: 'ignores fields that it does not know',
    sends: 'a signed text with unknown fields in the payload and in turn',
    needs: ['C-17'],
    implies: ['C-13'],
    fix: 'Ignore unknown fields: the payload is an alpha version, to which fields are added.',
    async run(subject) {
      const turn = { ...textTurn('Unknown fields'), conformance_unknown: { of: ['turn'] } };
      await subject.accepted(turn, { conformance_unknown: true }, 'a message with unknown fields');
    },
  },
  {
    id: 'C-30',
    level: 'SHOULD',
    section: 'Limits, webhook timing and retries, 3',
    title: 'does not respond 5XX to a type of message that it does not know',
    sends: 'a signed message of the type conformance_unknown',
    needs: ['C-01'],
    fix: 'Respond 400, or accept the message and send a substitute text. A 5XX is repeated five times, with the same result.',
    async run(subject) {
      const exchange = await subject.deliver({ type: 'conformance_unknown', conformance_unknown: {} });
      expect(exchange.response !== undefined && statusOf(exchange) < 500, 'a 2XX or 4XX response', gotOf(exchange));
    },
  },
  {
    id: 'C-31',
    level: 'MUST',
    section: PAYLOAD,
    title: 'accepts messages without a block and context',
    sends: 'a signed text whose block, context and resources are null',
    needs: ['C-17'],
    fix: 'Build the message from turn and to. Messages of operators and of the API have no block, and context may be null or empty.',
    async run(subject) {
      const none = { block: null, context: null, resources: null, evaluated_resources: null };
      await subject.accepted(textTurn('Without a block'), none, 'a message without block and context');
    },
  },
  {
    id: 'C-32',
    level: 'MUST',
    section: PAYLOAD,
    title: 'accepts messages with a block, context and resources',
    sends: 'a signed text as a journey sends it',
    needs: ['C-17'],
    fix: 'Ignore block, context and resources unless you need them; their content depends on the journey.',
    async run(subject) {
      await subject.accepted(textTurn('From a journey'), fromJourney, 'a message of a journey');
    },
  },
  {
    id: 'C-33',
    level: 'SHOULD',
    section: 'Events, rule 1',
    title: 'accepts a delivery that arrives twice',
    sends: 'the same signed text twice',
    needs: ['C-17'],
    fix: 'Return an id again, best the same one. A delivery is repeated when its response was lost, so it is not an error.',
    async run(subject) {
      const body = subject.sample('Twice');
      const delivery = randomUUID();
      for (const [i, what] of ['a message', 'the same message again'].entries()) {
        const exchange = await subject.post(body, { headers: subject.identity({ delivery, attempt: i + 1 }) });
        expect(isSuccess(exchange), `a 2XX response to ${what}`, gotOf(exchange));
      }
    },
  },
  {
    id: 'C-34',
    level: 'MUST',
    section: 'Limits, webhook timing and retries',
    title: 'accepts two messages at the same time',
    sends: 'two signed texts at the same time',
    needs: ['C-18'],
    fix: 'Serve requests concurrently: the platform delivers to different contacts at the same time.',
    async run(subject) {
      const both = await Promise.all([1, 2].map((n) => subject.deliver(textTurn(`Number ${n} of two`), {}, { isUnpaced: n === 2 })));
      for (const exchange of both) expect(isSuccess(exchange), 'a 2XX response to each of two messages', gotOf(exchange));
    },
  },
  {
    id: 'C-35',
    level: 'SHOULD',
    section: PAYLOAD,
    title: 'accepts a long text',
    sends: `a signed text of ${LONG} characters`,
    needs: ['C-17'],
    fix: 'Raise the limit of your body parser to 1 MB, and split long texts for your messaging service.',
    async run(subject) {
      await subject.accepted(textTurn('long '.repeat(LONG / 5)), {}, `a text of ${LONG} characters`);
    },
  },
  {
    id: 'C-36',
    level: 'SHOULD',
    section: 'Limits, webhook timing and retries, 3',
    title: 'responds 4XX to a body that is not JSON',
    sends: 'signed bytes that are not JSON',
    needs: ['C-01'],
    fix: 'Respond 400 when the body cannot be parsed: a repetition cannot succeed, so 5XX only costs retries.',
    async run(subject) {
      const exchange = await subject.post('{"to": "posthorn-conformance", ');
      expect(statusOf(exchange) >= 400 && statusOf(exchange) < 500, 'a 4XX response', gotOf(exchange));
    },
  },
  {
    id: 'C-37',
    level: 'SHOULD',
    section: 'Limits, signed media URL validity',
    title: 'does not respond 5XX when a media link has expired',
    sends: 'a signed image whose link responds 403',
    needs: ['C-28'],
    fix: 'Accept the message and send its caption, or respond 4XX. Links are valid for two minutes; a retry has the same link.',
    async run(subject) {
      const image = { link: (await subject.media()).expired, mime_type: 'image/png', caption: 'An expired link' };
      const exchange = await subject.deliver({ type: 'image', image });
      expect(exchange.response !== undefined && statusOf(exchange) < 500, 'a 2XX or 4XX response', gotOf(exchange));
    },
  },
  {
    id: 'C-38',
    level: 'MUST',
    section: 'Limits, webhook timing and retries, 1',
    title: 'responds in time although a media file loads slowly',
    sends: 'a signed image whose link does not respond',
    needs: ['C-28'],
    fix: 'Respond before you download media. Start the download immediately afterwards, because links expire after two minutes.',
    async run(subject) {
      const image = { link: (await subject.media()).silent, mime_type: 'image/png', caption: 'A slow file' };
      const exchange = await subject.deliver({ type: 'image', image });
      const isInTime = exchange.response !== undefined && exchange.ms <= subject.answerMs;
      expect(isInTime, `a response within ${subject.answerMs} ms`, () =>
        exchange.response ? `one after ${exchange.ms} ms` : gotOf(exchange),
      );
    },
  },
  {
    id: 'C-39',
    level: 'SHOULD',
    section: 'Events, subscriptions',
    title: 'does not respond 5XX to events that it should not subscribe to',
    sends: 'a signed event of the subscription of the network, an inbound message',
    needs: ['C-01'],
    fix: 'Respond 400 to every X-…-Hook-Subscription except channel. Never treat such an event as a message to a contact.',
    async run(subject) {
      const from = subject.contact();
      const message = { from, id: `${from}-in`, timestamp: '1767600000', type: 'text', text: { body: 'hi' } };
      const event = JSON.stringify({ contacts: [{ profile: { name: 'Conformance' }, wa_id: from }], messages: [message] });
      const exchange = await subject.post(event, { headers: [[subject.header('Hook-Subscription'), subject.network]] });
      expect(
        exchange.response !== undefined && statusOf(exchange) < 500,
        'a 2XX or 4XX response',
        `${gotOf(exchange)}, ${bodyText(exchange)}`,
      );
    },
  },
  {
    id: 'C-66',
    level: 'SHOULD',
    section: 'Events, rule 1',
    title: 'returns the same id when a delivery arrives twice',
    sends: 'a signed text twice, as two attempts of one delivery',
    needs: ['C-33'],
    fix: 'Use the value of the header Hook-Delivery as your id of the message, or remember your id by it. It is the same in every attempt of a delivery; an equal message has another one.',
    async run(subject) {
      const body = subject.sample('One id');
      const delivery = randomUUID();
      const ids: (string | undefined)[] = [];
      for (const attempt of [1, 2]) ids.push(idOf(await subject.post(body, { headers: subject.identity({ delivery, attempt }) })));
      expect(ids[0] !== undefined && ids[0] === ids[1], 'the same id twice', `the ids ${ids.join(' and ')}`);
    },
  },
];

/** The fields that a journey adds to a message. */
const fromJourney = {
  block: {
    uuid: '5a0e0f0c-4b3e-4a52-9a44-0c6b8b4a5d01',
    name: 'greeting',
    label: 'Greeting',
    type: 'MobilePrimitives.Message',
    semantic_label: null,
    tags: [],
    vendor_metadata: {},
    config: { prompt: '5a0e0f0c-4b3e-4a52-9a44-0c6b8b4a5d02' },
    exits: [{ uuid: '5a0e0f0c-4b3e-4a52-9a44-0c6b8b4a5d03', name: 'Default', default: true, destination_block: null, config: {} }],
  },
  context: { contact: { name: 'Conformance', language: 'eng' }, results: {} },
  resources: [
    {
      uuid: '5a0e0f0c-4b3e-4a52-9a44-0c6b8b4a5d02',
      values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING'], value: 'From @contact.name' }],
    },
  ],
  evaluated_resources: [
    {
      uuid: '5a0e0f0c-4b3e-4a52-9a44-0c6b8b4a5d02',
      values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING'], value: 'From Conformance' }],
    },
  ],
};
