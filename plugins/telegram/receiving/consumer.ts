import {
  Conflict,
  type Consumer,
  consume,
  type Inbound,
  type JsonObject,
  type NumberRecord,
  type PluginContext,
  type Transaction,
} from '#core';
import { objectOf } from '#core/basics';
import { adviceOnce, type Chosen, choiceReply, logUnrecorded, ServiceUnreachable } from '#core/messaging';
import { type BotApi, BotApiError } from '../bot-api.js';
import { type Bots, settingsOf } from '../connection.js';
import type { Refusals } from '../metrics.js';
import { issuedAdvice } from '../records.js';
import { pushAction } from '../sending/actions.js';
import { createFiles } from './files.js';
import { contactOf, idOf, messageId, readMessage, textOf } from './inbound.js';
import { received } from './queues.js';

/** Attempts to fetch a file; about half an hour. Telegram serves a file longer. */
const FILE_ATTEMPTS = 8;
const MAX_ATTEMPTS = 12;
/** `/start` with what the link to the bot has after `?start=`. */
const START = /^\/start(?:@\w+)? ([\w-]{1,64})$/;

/** Processes the updates of bots. A message that fails does not hold up later ones of its chat for longer than its attempt. */
export function receivedConsumer(
  context: PluginContext,
  { bots, api, refusals }: { bots: Bots; api: BotApi; refusals: Refusals },
): Consumer {
  const { store, numbers, contacts, connections, choices, messages, clock, log } = context;
  const files = createFiles(context, api);
  const once = adviceOnce(issuedAdvice, clock);

  return consume(
    received,
    async (job) => {
      const { number: uuid, update } = job.payload;
      const number = await numbers.get(uuid);
      if (!number) return;
      const done = (tx: Transaction) => job.done(tx);
      if (update.message) await message(number, objectOf(update.message), done, job.attempt >= FILE_ATTEMPTS);
      else if (update.edited_message) await edited(number, objectOf(update.edited_message), done);
      else if (update.callback_query) await tapped(number, objectOf(update.callback_query), done);
      else if (update.my_chat_member) await member(number, objectOf(update.my_chat_member), done);
    },
    { concurrency: 32, maxAttempts: MAX_ATTEMPTS },
  );

  async function message(number: NumberRecord, given: JsonObject, done: (tx: Transaction) => void, isLast: boolean): Promise<void> {
    const chat = objectOf(given.chat);
    const [chatId, id] = [idOf(chat.id), idOf(given.message_id)];
    if (chatId === undefined || id === undefined) return;
    if (chat.type !== 'private') return group(number, chatId, done);
    const ours = messageId(chatId, id);
    const { type, part, file } = readMessage(given);
    const known = await messages.known(number.uuid, 'inbound', ours);
    // A duplicate fetches no file again, and chooses no option. One of a text is compared, because another text is a mistake.
    if (known && !(known.type === 'text' && type === 'text')) return;
    const fetched = file && (await fetchedFile(number, file, isLast));
    const content = fetched ? { ...objectOf(part), ...fetched.part } : part;
    const chosen = await chosenByText(number, chatId, textOf(given.text));
    const context = await quoted(number, chatId, objectOf(given.reply_to_message));
    await record(
      number,
      {
        ...{ id: ours, from: chatId, timestamp: String(given.date ?? Math.floor(clock.now().getTime() / 1_000)), type },
        contact: contactOf(objectOf(given.from), chatId),
        content: content === undefined ? {} : { [type]: content },
        ...(context && { context }),
        ...(fetched?.error && { errors: [fetched.error] }),
        ...(chosen && choiceReply(number, chosen.option, await messages.get(chosen.message))),
      },
      { from: objectOf(given.from), start: START.exec(textOf(given.text) ?? '')?.[1] },
      done,
    );
  }

  async function fetchedFile(number: NumberRecord, file: Parameters<typeof files.fetchFile>[2], isLast: boolean) {
    const bot = await bots.of(number.uuid);
    if (!bot) return files.missing('the number was disconnected before the file was fetched');
    return files.fetchFile(number.uuid, bot, file).catch((error: unknown) => {
      if (!isLast || !(error instanceof BotApiError || error instanceof ServiceUnreachable)) throw error;
      return files.missing(error.message);
    });
  }

  /** Records a message, and what its sender's profile says, if the contact does not have it yet. */
  async function record(
    number: NumberRecord,
    inbound: Inbound,
    { from, start }: { from: JsonObject; start?: string | undefined },
    done: (tx: Transaction) => void,
  ): Promise<void> {
    await store
      .transaction(async (tx) => {
        const { message, isDuplicate } = await messages.received(tx, number, inbound);
        done(tx);
        if (isDuplicate) return;
        const contact = await contacts.latest(tx, { uuid: message.contact });
        const known = { telegram_username: textOf(from.username), telegram_language: textOf(from.language_code) };
        const change: Record<string, string> = start === undefined ? {} : { telegram_start: start };
        for (const [name, value] of Object.entries(known))
          if (value !== undefined && (contact.fields[name] ?? null) === null) change[name] = value;
        if (Object.keys(change).length > 0)
          await contacts.setFields(tx, number, contact.uuid, change).catch((error: unknown) => {
            // The message is worth more than the profile.
            if (!(error instanceof Conflict)) throw error;
            log.warn('the profile of a contact was not stored', { number_id: number.uuid, contact: contact.uuid, error });
          });
      })
      .catch(logUnrecorded(log, { number_id: number.uuid, message_id: inbound.id }));
  }

  /** The message that a contact answers, by the id that clients know. */
  async function quoted(number: NumberRecord, chat: string, replied: JsonObject): Promise<Inbound['context']> {
    const id = idOf(replied.message_id);
    if (id === undefined) return undefined;
    const sent = await messages.byRemoteId(undefined, number.uuid, messageId(chat, id));
    return { id: sent?.external_id ?? messageId(chat, id) };
  }

  async function edited(number: NumberRecord, given: JsonObject, done: (tx: Transaction) => void): Promise<void> {
    const [chat, id] = [idOf(objectOf(given.chat).id), idOf(given.message_id)];
    const { type, part } = readMessage(given);
    if (chat === undefined || id === undefined || part === undefined) return;
    const known = await messages.known(number.uuid, 'inbound', messageId(chat, id));
    await store.transaction(async (tx) => {
      done(tx);
      // Live locations change all the time, and files of an edited message stay as they are.
      if (known?.type === type && type === 'text') await messages.edited(tx, number, known.uuid, { [type]: part });
    });
  }

  /** A tap on a button. The data is looked up, not trusted: it may be one that no button has had. */
  async function tapped(number: NumberRecord, query: JsonObject, done: (tx: Transaction) => void): Promise<void> {
    const from = objectOf(query.from);
    const [chat, id] = [idOf(from.id), textOf(query.id)];
    if (chat === undefined || id === undefined) return;
    const [key = '', index = ''] = (textOf(query.data) ?? '').split('.');
    const offered = await choices.byKey(number.uuid, key, Number(index));
    // A key that another person was shown is none of this one.
    const sent = offered && (await messages.get(offered.message));
    const chosen = sent?.to === chat ? offered : undefined;
    const answer = (tx: Transaction) => {
      done(tx);
      // Always, or the button shows that it is busy for a minute.
      pushAction(tx, number.uuid, 'answerCallbackQuery', { callback_query_id: id });
      const message = idOf(objectOf(query.message).message_id);
      if (chosen && message !== undefined)
        pushAction(tx, number.uuid, 'editMessageReplyMarkup', {
          chat_id: Number(chat),
          message_id: Number(message),
          reply_markup: { inline_keyboard: [] },
        });
    };
    if (!chosen) {
      refusals.refused({ what: 'tap' });
      return store.transaction(answer);
    }
    const tap = choiceReply(number, chosen.option, sent);
    const timestamp = String(Math.floor(clock.now().getTime() / 1_000));
    await record(number, { id: `callback:${id}`, from: chat, timestamp, contact: contactOf(from, chat), ...tap }, { from }, answer);
  }

  /** The option that a contact has chosen with the keyboard of the phone, which sends its title as a text. */
  async function chosenByText(number: NumberRecord, chat: string, text: string | undefined): Promise<Chosen | undefined> {
    const connection = text === undefined ? undefined : await connections.of(number.uuid);
    return connection && settingsOf(connection).buttons === 'reply' ? choices.ofContact(number.uuid, chat, text!) : undefined;
  }

  /** A person blocks the bot, or unblocks it. */
  async function member(
    number: NumberRecord,
    { chat, new_chat_member: given }: JsonObject,
    done: (tx: Transaction) => void,
  ): Promise<void> {
    const id = objectOf(chat).type === 'private' ? idOf(objectOf(chat).id) : undefined;
    const status = objectOf(given).status;
    await store.transaction(async (tx) => {
      done(tx);
      const contact = id === undefined ? undefined : await contacts.current(tx, number, id);
      if (!contact) return;
      if (status === 'kicked')
        await contacts.block(tx, number, contact, { by: 'network', reason: 'The contact has blocked the bot on Telegram' });
      else await contacts.unblock(tx, number, contact, 'network');
    });
  }

  /** Bots of the platform talk to one person at a time: a group would answer the questions of its members to all of them. */
  function group(number: NumberRecord, chat: string, done: (tx: Transaction) => void): Promise<void> {
    return store.transaction(async (tx) => {
      done(tx);
      refusals.refused({ what: 'group' });
      await once.issue(tx, `group:${number.uuid}`, {
        name: 'telegram_group',
        severity: 'warning',
        number: number.uuid,
        message: `A message was written to bot '${number.name}' in the group ${chat}. Messages in groups are not received.`,
        fix: 'Forbid groups for the bot: /setjoingroups at @BotFather.',
      });
    });
  }
}
