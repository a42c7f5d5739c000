/** Sends messages: the driver queues a delivery in the transaction of the message, the sender makes its call, and `settled` records what came of it. */
import {
  anyValue,
  array,
  type ChannelDriver,
  type Contributions,
  type DeliverySettled,
  type Json,
  MessageRefused,
  object,
  type Payload,
  type PluginContext,
  string,
  type Transaction,
  unixSeconds,
} from 'posthorn';
import { attemptOf, createBudget, multipart, type NotificationError, textBesideButtons, turnParts } from 'posthorn/messaging';
import { bodyOf, connectionType, MAX_FILE_BYTES, type Service, ServiceError, type ServiceMessage } from './service.js';

/** The type of the numbers, and the name of the sender, which deliveries store. */
export const SENDER = 'polled-chat';
const MAX_TEXT = 4_000;
/** The service takes 20 messages of a bot in a second. */
const EVERY_MS = 50;
const DEADLINE_MS = 60_000;
/** A message is repeated for two hours, after 1, 2, 4 … 512 seconds and then each 10 minutes. Meanwhile it holds its conversation. */
const GAPS_MS = Array.from({ length: 21 }, (_, n) => Math.min(10 * 60_000, 1_000 * 2 ** n));
const GONE = 'The file was deleted';
/** Why the platform cancels a delivery. The error of an earlier attempt is not the reason then. */
const CANCELLED: Readonly<Record<string, string>> = { [`${SENDER}_removed`]: 'The number was disconnected', by_hand: 'Cancelled' };

type Sender = NonNullable<Contributions['senders']>[number];
/** The body of a delivery: a message, and the file that is read when it is sent. */
type Sent = ServiceMessage & { readonly file?: { readonly id?: string; readonly link: string; readonly filename?: string } };

/** The form of the bodies of deliveries, for the test platform. */
export const messagePayload: Payload = {
  name: 'polled-chat message',
  summary: 'A message of a bot.',
  subscription: 'network',
  isUnlisted: true,
  body: object({ chat: string(), text: string().allow(''), formats: array(anyValue()), buttons: array(anyValue()) }, { file: anyValue() }),
};

/** An error as people read it. Choose a code, and an address that explains it. */
export const errorOf = (details: string): NotificationError => ({
  code: 155_000,
  title: 'The service refused the message',
  details,
  href: 'https://example.org/errors',
});

export function driver({ messages, media, connections, choices, deliveries }: PluginContext, service: Service): ChannelDriver {
  return {
    type: SENDER,
    capabilities: { limits: { buttons: 10, rows: 10, sections: 10 } },
    connection: connectionType(service),

    check(_tx, { turn }) {
      const parts = turnParts(turn, '');
      if (parts?.form) throw new MessageRefused(errorOf('The service has no forms'));
      if (parts && textBesideButtons(parts).text.length > MAX_TEXT)
        throw new MessageRefused(errorOf(`A text has at most ${MAX_TEXT} characters`));
    },

    async deliver(tx, { turn, number, message, conversation }) {
      // Any shape of a message, taken apart. `rendered` is the text of a template.
      const parts = turnParts(turn, message.rendered);
      const destination = await connections.destination(tx, number.uuid);
      const file = parts?.file;
      const isGone = file?.id !== undefined && !(await media.about(file.id));
      const whyNot = isGone ? GONE : destination ? 'The template has no text' : 'The number is not connected';
      if (!parts || !destination || isGone) return messages.undeliverable(tx, number, message.uuid, errorOf(whyNot));
      const options = parts.sections.flatMap((one) => one.options);
      // A tap brings the key and the index back: `choices` knows the option then.
      const key = options.length > 0 ? choices.offer(tx, message, options) : '';
      const { text, marks: formats } = textBesideButtons(parts);
      const buttons = options.map(({ title }, i) => ({ title, data: `${key}.${i}` }));
      const body = { chat: message.to, text, formats, buttons, ...(file && { file }) };
      const about = { message: message.uuid, conversation: conversation.uuid, recipient: message.to, body, isNew: true };
      await deliveries.post(tx, { sender: SENDER, webhook: destination, event: message.uuid, kind: 'network', ...about });
    },
  };
}

export function sender(context: PluginContext, service: Service): Sender {
  const { store, clock, chunks, uploads, connections } = context;
  const budget = createBudget(clock);
  return {
    name: SENDER,
    policy: { gapsMs: GAPS_MS, minGapMs: 0, windowMs: 3 * 60 * 60_000 },
    destination: (tx, uuid) => connections.destination(tx, uuid),
    waitMs: (_tx, { record }) => budget.waitMs(attemptOf(record), [{ key: record.number, everyMs: EVERY_MS, burst: 1 }]),

    async request({ entry: { record, content } }) {
      const bot = await service.botOf(record.number);
      if (!bot) return { kind: 'cancel', reason: 'not_connected', error: 'The number is not connected' };
      const { file, ...message } = JSON.parse(await chunks.expand(content.body!)) as Sent;
      const bytes = file && (await uploads.read(file, { maxBytes: MAX_FILE_BYTES, deadlineMs: DEADLINE_MS / 2 }));
      if (file && !bytes) return { kind: 'cancel', reason: 'file', error: file.id === undefined ? `${file.link} cannot be fetched` : GONE };
      const json = JSON.stringify(message);
      const { body, type } = bytes
        ? multipart([
            ['message', json],
            ['file', bytes],
          ])
        : { body: json, type: 'application/json' };
      const headers = { authorization: `Bearer ${bot.token}`, 'content-type': type };
      // Without keys of idempotency, a resend by the HTTP client would be a second message.
      const limits = { signatures: [], deadlineMs: DEADLINE_MS, maxResponseBytes: 65_536, atMostOnce: true };
      return { method: 'POST', url: `${bot.api_url}/messages`, headers, body, ...limits };
    },

    async read({ entry: { record } }, outcome) {
      try {
        bodyOf(outcome);
        return { kind: 'delivered', status: 200 };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { status, remedy, isUnknown, retryAfterMs, message } = error;
        const about = { status: status || 504, reason: isUnknown ? 'unknown_outcome' : remedy, error: message };
        if (remedy === 'fail' || remedy === 'unreachable') return { kind: 'cancel', ...about };
        if (remedy === 'stop') {
          const stop = { code: status, title: message, fix: 'Connect the number again with a valid token' };
          await store.transaction((tx) => connections.stop(tx, record.number, stop));
          // Its destination is paused now, so it waits there.
          return { kind: 'retry', ...about, afterMs: 0 };
        }
        if (remedy === 'wait') budget.block(record.number, retryAfterMs);
        // By the policy, if the service names no time. After an unknown outcome it can show the message twice; cancel if that is worse than losing it.
        return { kind: 'retry', ...about, ...(remedy === 'wait' && { afterMs: retryAfterMs }) };
      }
    },
  };
}

/** Settles the message of a delivery: sent under the id that the service gave it, or failed with a reason. */
export function settled({ numbers, messages, contacts, clock }: PluginContext) {
  return async ({ delivery, response }: DeliverySettled, tx: Transaction): Promise<void> => {
    const { sender, message: uuid, number: of, state, reason, last_error: error } = delivery;
    const message = sender === SENDER && uuid !== undefined ? await messages.current(tx, uuid) : undefined;
    if (!message?.pending_for) return;
    const number = await numbers.require(of);
    if (state === 'delivered') {
      const { id } = JSON.parse(response?.body ?? '{}') as { id?: Json };
      const accepted = await messages.accepted(tx, number, message.uuid, id === undefined ? undefined : String(id));
      if (accepted?.external_id === undefined) return;
      const about = { id: accepted.external_id, recipient: message.to, timestamp: unixSeconds(clock.now()) };
      await messages.status(tx, number, { ...about, status: 'sent' });
      return;
    }
    const why = CANCELLED[reason ?? ''] ?? error ?? reason ?? 'without a reason';
    await messages.undeliverable(tx, number, message.uuid, errorOf(why));
    // Later messages to this person are refused until they write again.
    if (reason === 'unreachable') await contacts.block(tx, number, { uuid: message.contact }, { by: 'network', reason: why });
  };
}
