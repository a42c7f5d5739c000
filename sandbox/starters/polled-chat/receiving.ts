/** Receives what people write: the loop stores updates as jobs, and the consumer turns each into a message. */
import { type Consumer, collection, consume, type Inbound, type NumberRecord, type PluginContext, queue, unixSeconds } from 'posthorn';
import { fileKindOf } from 'posthorn/basics';
import { choiceReply, type Loop, MessageIdTaken, refusedBy } from 'posthorn/messaging';
import { errorOf, SENDER } from './sending.js';
import { type Service, ServiceError, type Update } from './service.js';

const MAX_ATTEMPTS = 10;

/** The last update of a number. It is stored with its updates, so that a crash loses and repeats none. */
export const positions = collection<{ readonly number: string; readonly after: number }>({ key: 'number', tenant: { number: 'number' } });
const updates = queue<{ readonly number: string; readonly update: Update }>('polled-chat.updates');

/** Asks for updates, again and again. The next call tells the service that those before it are stored. */
export const updatesLoop = ({ store, connections }: PluginContext, service: Service): Loop => ({
  name: 'polled-chat-updates',
  type: SENDER,
  async run({ number }, { signal }) {
    const bot = await service.botOf(number);
    if (!bot) return;
    const { after = 0 } = (await store.open(positions).get(number)) ?? {};
    try {
      const found = await service.updates(bot, after, signal);
      if (found.length === 0) return;
      await store.transaction((tx) => {
        // Those of a chat are processed in their order.
        for (const update of found) tx.push(updates, { number, update }, { serial: `${number}/${update.chat.id}` });
        tx.in(positions).put({ number, after: Math.max(after, ...found.map(({ id }) => id)) });
      });
    } catch (error) {
      if (signal.aborted) return;
      // The platform runs the loop again, later and later.
      if (!(error instanceof ServiceError) || error.remedy !== 'stop') throw error;
      await store.transaction((tx) => connections.stop(tx, number, { code: error.status, title: error.message }));
    }
  },
});

export function updatesConsumer({ store, numbers, messages, media, choices, clock, log }: PluginContext, service: Service): Consumer {
  return consume(
    updates,
    async (job) => {
      const { number: uuid, update } = job.payload;
      const number = await numbers.get(uuid);
      const content = number && (await contentOf(number, update, job.attempt >= MAX_ATTEMPTS));
      if (!content) return;
      const { id: chat, name } = update.chat;
      const from = { from: chat, contact: { id: chat, name }, timestamp: unixSeconds(clock.now()) };
      await store
        .transaction(async (tx) => {
          // A message that is stored already changes nothing: ids are unique within a number.
          await messages.received(tx, number, { ...from, ...content });
          job.done(tx);
        })
        .catch((error: unknown) => {
          // A plugin has refused the message, or its id belongs to another one. No repetition would help.
          if (refusedBy(error) === undefined && !(error instanceof MessageIdTaken)) throw error;
          log.warn('a message was not recorded', { number_id: uuid, message_id: content.id, error });
        });
    },
    { maxAttempts: MAX_ATTEMPTS },
  );

  /** The content of an update in the form of the platform; undefined for an update that is not a message. */
  async function contentOf(number: NumberRecord, { id, chat, message, tap }: Update, isLast: boolean) {
    if (message?.file) return { id: message.id, ...(await fileOf(number, message.file, message.text, isLast)) };
    if (message) return { id: message.id, type: 'text', content: { text: { body: message.text ?? '' } } };
    const [key = '', index] = tap?.data.split('.') ?? [];
    const chosen = await choices.byKey(number.uuid, key, Number(index));
    const sent = chosen && (await messages.get(chosen.message));
    // Data of a button is looked up, not trusted: it must be one that this person was shown.
    if (!chosen || sent?.to !== chat.id) return undefined;
    return { id: `tap:${id}`, ...choiceReply(number, chosen.option, sent) };
  }

  /** Fetches a file into the platform before its message is recorded. After the last attempt, the message has an error instead. */
  async function fileOf(number: NumberRecord, { id, type, name }: FileOf, caption: string | undefined, isLast: boolean): Promise<Content> {
    const kind = fileKindOf(type);
    const bot = await service.botOf(number.uuid);
    const bytes = bot && (await service.file(bot, id).catch((error: unknown) => (isLast ? undefined : Promise.reject(error))));
    if (!bytes) return { type: kind, content: { [kind]: {} }, errors: [errorOf(`The file ${name} could not be fetched`)] };
    const stored = await media.put(number.uuid, bytes, { mimeType: type, filename: name });
    return { type: kind, content: { [kind]: { ...media.partOf(stored), ...(caption && { caption }) } } };
  }
}

type FileOf = NonNullable<NonNullable<Update['message']>['file']>;
type Content = Pick<Inbound, 'type' | 'content' | 'errors'>;
