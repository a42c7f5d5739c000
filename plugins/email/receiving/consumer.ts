import {
  type Consumer,
  consume,
  type Inbound,
  type JsonObject,
  type NumberRecord,
  type PluginContext,
  type Transaction,
  unixSeconds,
  withoutUndefined,
} from '#core';
import { type ConnectionRecord, logUnrecorded } from '#core/messaging';
import { TaskFailed } from '#core/ports';
import { ownAddresses, plusSecret, settingsOf } from '../connection.js';
import { normalAddress, plusKey } from '../content/addresses.js';
import { classify } from '../content/classify.js';
import { mailTask, type ParsedMail } from '../content/mail.js';
import type { remedies } from '../errors.js';
import type { EmailMetrics } from '../metrics.js';
import { uuidOf } from '../sending/sender.js';
import { authResult } from './authentication.js';
import { type Received, received } from './queues.js';
import type { Reports } from './reports.js';

const MAX_ATTEMPTS = 12;
const HOUR_MS = 60 * 60 * 1_000;
/** Messages of a conversation that are counted. */
const NEWEST = 100;
const MAX_CHANNEL = { ids: 20, id: 120, subject: 500, addresses: 10, address: 100 };
const OWN_ID = /^m\.[\da-f-]{36}@/;

interface ConsumerParts {
  readonly reports: Reports;
  readonly once: ReturnType<typeof remedies>['once'];
  readonly metrics: EmailMetrics;
}

/** Processes the mails of numbers. */
export function receivedConsumer(context: PluginContext, { reports, once, metrics }: ConsumerParts): Consumer {
  const { store, numbers, connections, contacts, conversations, choices, messages, media, secrets, workers, clock, log } = context;

  return consume(
    received,
    async (job) => {
      const number = await numbers.get(job.payload.number);
      const connection = number && (await connections.of(number.uuid));
      if (!number || !connection) return;
      const done = (tx: Transaction): void => job.done(tx);
      const { raw } = job.payload;
      const mail = await read((await media.get(raw)).bytes);
      const own = ownAddresses(settingsOf(connection));
      const keyed = await keyedMessage(number, connection, [
        ...job.payload.recipients,
        ...[...mail.to, ...mail.cc].map((one) => one.address),
      ]);
      const kind = classify(mail, { returnPath: job.payload.return_path, own, isOwnId: (id) => OWN_ID.test(id) && isOurs(id, own) });
      metrics.received(kind.kind);
      if (kind.kind === 'ordinary') return message(number, connection, mail, { job: job.payload, keyed, done });
      if (kind.kind === 'auto-reply')
        return message(number, connection, mail, { job: job.payload, keyed, done, quiet: `a program has written it (${kind.why})` });
      const about = await reports.messageOf(number, kind, keyed);
      // People see what is of no known message.
      if (!about)
        return message(number, connection, mail, { job: job.payload, keyed, done, quiet: `it is a ${kind.kind} about no known message` });
      await store.transaction(async (tx) => {
        await reports.record(tx, number, about, kind);
        done(tx);
      });
      await media.erase(raw);
    },
    { concurrency: 4, maxAttempts: MAX_ATTEMPTS },
  );

  /** Reads a mail in a worker; one that takes too long there without what follows its head. */
  async function read(bytes: Uint8Array): Promise<ParsedMail> {
    try {
      return await workers.run(mailTask, bytes);
    } catch (error) {
      if (!(error instanceof TaskFailed)) throw error;
      log.warn('a mail could not be read whole', { error, bytes: bytes.length });
      const end = Buffer.from(bytes).indexOf('\r\n\r\n');
      const head = await workers.run(mailTask, bytes.slice(0, Math.min(end < 0 ? bytes.length : end + 4, 64 * 1024)));
      return { ...head, cut: 'reading the mail took too long' };
    }
  }

  /** The message whose plus address is among the recipients. */
  async function keyedMessage(
    number: NumberRecord,
    connection: ConnectionRecord,
    addresses: readonly string[],
  ): Promise<string | undefined> {
    const secret = await secrets.get(plusSecret(number.uuid));
    if (secret === undefined) return undefined;
    for (const one of addresses) {
      const key = plusKey(one, settingsOf(connection).address, secret);
      if (key !== undefined) return uuidOf(key);
    }
    return undefined;
  }

  async function message(
    number: NumberRecord,
    connection: ConnectionRecord,
    mail: ParsedMail,
    about: {
      readonly job: Received;
      readonly keyed: string | undefined;
      readonly done: (tx: Transaction) => void;
      readonly quiet?: string;
    },
  ): Promise<void> {
    const { job, keyed, done } = about;
    const address = mail.from?.address ?? job.return_path ?? '';
    const from = normalAddress(address);
    if (from === undefined) {
      metrics.refused('sender');
      log.warn('a mail without a sender was not recorded', { number_id: number.uuid, media: job.raw, message_id: mail.id });
      return;
    }
    const sender = {
      ...{ id: mail.id, from: address.trim(), timestamp: job.at },
      contact: { id: from, ...(mail.from?.name && { name: mail.from.name }) },
    };
    const unrecorded = logUnrecorded(log, { number_id: number.uuid, message_id: mail.id });
    const known = await messages.known(number.uuid, 'inbound', mail.id);
    if (known) {
      // Files would have other ids. Says so if the text is another one, or if it is of another contact.
      const { type, content } = known;
      const again = { ...sender, type, content: type === 'text' ? { text: { body: bodyOf(mail) } } : (content as JsonObject) };
      await store.transaction((tx) => messages.received(tx, number, again)).catch(unrecorded);
      return void (await media.erase(job.raw));
    }
    const limit = about.quiet === undefined ? await tooManyAnswers(number, connection, from) : undefined;
    const quiet = about.quiet ?? (limit === undefined ? undefined : `journeys have answered ${limit} mails of the contact within an hour`);
    const cut = job.cut ?? mail.cut;
    const errors = cut === undefined ? {} : { errors: [cutError(cut)] };
    const { address: to } = number;
    const answered = await answeredMessage(number, from, mail, keyed);
    const [first, ...others] = await contentsOf(number, from, mail, answered);
    const inbound: Inbound = {
      ...sender,
      ...first!,
      parts: others.map((part, i) => ({ ...part, id: `${mail.id}#${i + 2}` })),
      ...(answered && { context: { id: answered, from: to } }),
      ...errors,
      channel: channelOf(connection, mail, job),
      ...(quiet !== undefined && { quiet }),
    };
    await store
      .transaction(async (tx) => {
        await messages.received(tx, number, inbound);
        if (limit !== undefined) await adviseLoop(tx, number, from, limit);
        done(tx);
      })
      .catch(unrecorded);
  }

  /** The last net against two programs that answer each other. @returns the limit, if journeys have answered so many mails within an hour */
  async function tooManyAnswers(number: NumberRecord, connection: ConnectionRecord, from: string): Promise<number | undefined> {
    const limit = settingsOf(connection).answers_per_hour;
    const conversation = await conversationOf(number, from);
    const newest = conversation === undefined ? [] : await conversations.newest(conversation, NEWEST);
    const after = Number(unixSeconds(new Date(clock.now().getTime() - HOUR_MS)));
    let [answers, isAnswered] = [0, false];
    for (const { direction, journey, timestamp } of newest) {
      if (Number(timestamp) < after) break;
      if (direction === 'inbound') isAnswered = false;
      else if (journey && !isAnswered) [answers, isAnswered] = [answers + 1, true];
    }
    return answers >= limit ? limit : undefined;
  }

  function adviseLoop(tx: Transaction, number: NumberRecord, from: string, limit: number): Promise<void> {
    return once.issue(tx, `loop:${number.uuid}:${from}`, {
      name: 'email_loop',
      severity: 'warning',
      number: number.uuid,
      message: `Journeys of number '${number.name}' have answered ${limit} mails of ${from} within an hour. Its further mails are recorded, and not answered.`,
      fix: 'If a program writes there, nothing. If it is a person, raise answers_per_hour of the connection.',
    });
  }

  async function conversationOf(number: NumberRecord, from: string): Promise<string | undefined> {
    const contact = await contacts.known(number.uuid, from);
    return contact && (await conversations.ofContact(number.uuid, contact.uuid))?.uuid;
  }

  /** The id of the message that a mail answers. It counts only if it was sent to this contact: all who got a newsletter answer the same id. */
  async function answeredMessage(
    number: NumberRecord,
    from: string,
    mail: ParsedMail,
    keyed: string | undefined,
  ): Promise<string | undefined> {
    const contact = await contacts.known(number.uuid, from);
    if (!contact) return undefined;
    for (const id of [...mail.inReplyTo, ...[...mail.references].reverse()]) {
      const found = await messages.known(number.uuid, 'outbound', id);
      if (found?.contact === contact.uuid) return id;
    }
    const found = keyed === undefined ? undefined : await messages.get(keyed);
    return found?.contact === contact.uuid ? found.external_id : undefined;
  }

  /** The content of a mail in the form of messages: its text or the chosen option, then its files. */
  async function contentsOf(
    number: NumberRecord,
    from: string,
    mail: ParsedMail,
    answered: string | undefined,
  ): Promise<Pick<Inbound, 'type' | 'content'>[]> {
    if (mail.reaction !== undefined && answered !== undefined)
      return [{ type: 'reaction', content: { reaction: { message_id: answered, emoji: mail.reaction } } }];
    const conversation = await conversationOf(number, from);
    const line = mail.text.split('\n').find((one) => one.trim() !== '') ?? '';
    const chosen = conversation === undefined ? undefined : await choices.byText(conversation, line.trim());
    const files = await Promise.all(
      mail.files.map(async ({ content, mimeType, filename }) => {
        const part = media.partOf(await media.put(number.uuid, content, { mimeType, filename }));
        const kind = kindOf(mimeType);
        return { type: kind, content: { [kind]: { ...part, ...(kind === 'document' && { filename }) } } };
      }),
    );
    const cards = mail.cards.length > 0 ? [{ type: 'contacts', content: { contacts: [...mail.cards] } }] : [];
    const body = bodyOf(mail);
    const text = body === '' ? [] : [{ type: 'text', content: { text: { body } } }];
    if (!chosen) return [...text, ...cards, ...files];
    const { kind, ...reply } = chosen.option;
    return [{ type: 'interactive', content: { interactive: { type: kind, [kind]: withoutUndefined(reply) } } }, ...files];
  }

  function channelOf(connection: ConnectionRecord, mail: ParsedMail, { raw, via }: Received): JsonObject {
    const { authserv_id: server } = settingsOf(connection);
    const short = (texts: readonly string[], max: number): string[] => texts.filter((one) => one.length <= max);
    return withoutUndefined({
      message_id: mail.hasOwnId ? mail.id.slice(0, MAX_CHANNEL.subject) : undefined,
      subject: mail.subject.slice(0, MAX_CHANNEL.subject),
      references: short(mail.references, MAX_CHANNEL.id).slice(-MAX_CHANNEL.ids),
      cc:
        mail.cc.length > 0
          ? short(
              mail.cc.map(({ address }) => address),
              MAX_CHANNEL.address,
            ).slice(0, MAX_CHANNEL.addresses)
          : undefined,
      ...{ via, raw, sealed: mail.sealed },
      authentication: server === undefined ? undefined : authResult(mail.headers['authentication-results'] ?? [], server),
    }) as JsonObject;
  }
}

/** The text of a mail as a message; empty for one that has only files. */
const bodyOf = ({ text, files, cards, subject }: ParsedMail): string =>
  text.trim() || (files.length + cards.length > 0 ? '' : subject || '(no text)');

const isOurs = (id: string, own: readonly string[]): boolean => own.some((address) => id.endsWith(address.slice(address.lastIndexOf('@'))));

const cutError = (details: string) => ({ code: 131_052, title: 'Media download error', details, href: 'https://posthorn.invalid/email' });

function kindOf(mimeType: string): string {
  if (/^image\/(png|jpe?g|gif|webp)$/.test(mimeType)) return 'image';
  return mimeType.startsWith('audio/') ? 'audio' : mimeType.startsWith('video/') ? 'video' : 'document';
}
