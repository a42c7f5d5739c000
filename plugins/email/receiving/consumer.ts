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
import { fileKindOf } from '#core/basics';
import { choiceReply, fileNotFetched, logUnrecorded } from '#core/messaging';
import { TaskFailed } from '#core/ports';
import { ownAddresses, plusSecret, settingsOf } from '../connection.js';
import { normalAddress, plusKey } from '../content/addresses.js';
import { classify } from '../content/classify.js';
import { mailTask, type ParsedMail } from '../content/mail.js';
import type { Remedies } from '../errors.js';
import type { EmailMetrics } from '../metrics.js';
import type { EmailSettings } from '../options.js';
import { authResult } from './authentication.js';
import { type Received, received } from './queues.js';
import type { Reports } from './reports.js';

const MAX_ATTEMPTS = 12;
const MAX_HEAD = 64 * 1024;
const HOUR_SECONDS = 60 * 60;
/** Messages of a conversation that are counted. */
const NEWEST = 100;
const MAX_CHANNEL = { ids: 20, id: 120, subject: 500, addresses: 10, address: 100 };
const OWN_ID = /^m\.[\da-f-]{36}@/;
const HREF = 'https://posthorn.invalid/email';

interface ConsumerParts {
  readonly reports: Reports;
  readonly once: Remedies['once'];
  readonly metrics: EmailMetrics;
}

/** A mail that was read, and the number that it was sent to. */
interface Arrived {
  readonly number: NumberRecord;
  readonly settings: EmailSettings;
  readonly job: Received;
  readonly mail: ParsedMail;
  /** The uuid of the message whose plus address is among the recipients. */
  readonly keyed: string | undefined;
  readonly done: (tx: Transaction) => void;
}

/** Processes the mails of numbers. */
export function receivedConsumer(context: PluginContext, { reports, once, metrics }: ConsumerParts): Consumer {
  const { store, numbers, connections, contacts, conversations, choices, messages, media, secrets, workers, clock, log } = context;

  return consume(
    received,
    async (job) => {
      const { number: uuid, raw, recipients, return_path: returnPath } = job.payload;
      const number = await numbers.get(uuid);
      const connection = await connections.of(uuid);
      if (!number || !connection) return;
      const settings = settingsOf(connection);
      const mail = await read((await media.get(raw)).bytes);
      const own = ownAddresses(settings);
      const secret = await secrets.get(plusSecret(uuid));
      const addresses = [...recipients, ...[...mail.to, ...mail.cc].map(({ address }) => address)];
      const [key] = addresses.flatMap((one) => (secret === undefined ? [] : (plusKey(one, settings.address, secret) ?? [])));
      const keyed = key?.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      const isOwnId = (id: string): boolean => OWN_ID.test(id) && own.some((one) => id.endsWith(one.slice(one.lastIndexOf('@'))));
      const kind = classify(mail, { returnPath, own, isOwnId });
      metrics.received({ kind: kind.kind });
      const arrived = { number, settings, job: job.payload, mail, keyed, done: (tx: Transaction) => job.done(tx) };
      if (kind.kind === 'ordinary') return record(arrived);
      if (kind.kind === 'auto-reply') return record(arrived, `a program has written it (${kind.why})`);
      const about = await reports.messageOf(uuid, kind.ids, keyed);
      // People see what is of no known message.
      if (!about) return record(arrived, `it is a ${kind.kind} about no known message`);
      await store.transaction(async (tx) => {
        await reports.record(tx, number, about, kind);
        job.done(tx);
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
      const head = await workers.run(mailTask, bytes.slice(0, Math.min(end < 0 ? bytes.length : end + 4, MAX_HEAD)));
      return { ...head, cut: 'reading the mail took too long' };
    }
  }

  async function record(arrived: Arrived, why?: string): Promise<void> {
    const { number, settings, job, mail, keyed, done } = arrived;
    const address = mail.from?.address ?? job.return_path ?? '';
    const from = normalAddress(address);
    const about = { number_id: number.uuid, message_id: mail.id };
    if (from === undefined) {
      metrics.refused({ what: 'sender' });
      return log.warn('a mail without a sender was not recorded', { ...about, media: job.raw });
    }
    const contact = { id: from, ...(mail.from?.name && { name: mail.from.name }) };
    const sender = { id: mail.id, from: address.trim(), timestamp: job.at, contact };
    const unrecorded = logUnrecorded(log, about);
    const known = await messages.known(number.uuid, 'inbound', mail.id);
    if (known) {
      // Files would have other ids. Says so if the text is another one, or if it is of another contact.
      const { type, content } = known;
      const again = { ...sender, type, content: type === 'text' ? { text: { body: bodyOf(mail) } } : (content as JsonObject) };
      await store.transaction((tx) => messages.received(tx, number, again)).catch(unrecorded);
      return void (await media.erase(job.raw));
    }
    const sent = (await contacts.known(number.uuid, from))?.uuid;
    const isLoop = why === undefined && (await hasTooManyAnswers(number.uuid, sent, settings.answers_per_hour));
    const quiet = isLoop ? `journeys have answered ${settings.answers_per_hour} mails of the contact within an hour` : why;
    // Counts only if it was sent to this contact: all who got a newsletter answer the same id.
    const ids = [...mail.inReplyTo, ...mail.references.toReversed()];
    const answered = (await reports.messageOf(number.uuid, ids, keyed, (one) => one.contact === sent))?.external_id;
    const [first, ...others] = await contentsOf(arrived, from, answered);
    const cut = job.cut ?? mail.cut;
    const inbound: Inbound = {
      ...(answered !== undefined && { context: { id: answered, from: number.address } }),
      ...{ ...sender, ...first!, channel: channelOf(arrived) },
      parts: others.map((part, i) => ({ ...part, id: `${mail.id}#${i + 2}` })),
      ...(cut !== undefined && { errors: [fileNotFetched(cut, HREF)] }),
      ...(quiet !== undefined && { quiet }),
    };
    const recorded = store.transaction(async (tx) => {
      await messages.received(tx, number, inbound);
      if (isLoop) await adviseLoop(tx, number, from, settings.answers_per_hour);
      done(tx);
    });
    await recorded.catch(unrecorded);
  }

  /** The last net against two programs that answer each other: whether journeys have answered so many mails within an hour. */
  async function hasTooManyAnswers(number: string, contact: string | undefined, limit: number): Promise<boolean> {
    const conversation = contact === undefined ? undefined : await conversations.ofContact(number, contact);
    const newest = conversation ? await conversations.newest(conversation.uuid, NEWEST) : [];
    const after = Number(unixSeconds(clock.now())) - HOUR_SECONDS;
    let [answers, isAnswered] = [0, false];
    for (const { direction, journey, timestamp } of newest) {
      if (Number(timestamp) < after) break;
      if (direction === 'inbound') isAnswered = false;
      else if (journey && !isAnswered) [answers, isAnswered] = [answers + 1, true];
    }
    return answers >= limit;
  }

  function adviseLoop(tx: Transaction, { uuid: number, name }: NumberRecord, from: string, limit: number): Promise<void> {
    const message = `Journeys of number '${name}' have answered ${limit} mails of ${from} within an hour.`;
    return once.issue(tx, `loop:${number}:${from}`, {
      ...{ name: 'email_loop', severity: 'warning', number, message: `${message} Its further mails are recorded, and not answered.` },
      fix: 'If a program writes there, nothing. If it is a person, raise answers_per_hour of the connection.',
    });
  }

  /** The content of a mail in the form of messages: its text or the chosen option, then its files. */
  async function contentsOf({ number, mail }: Arrived, from: string, answered: string | undefined) {
    if (mail.reaction !== undefined && answered !== undefined)
      return [{ type: 'reaction', content: { reaction: { message_id: answered, emoji: mail.reaction } } }];
    const line = mail.text.split('\n').find((one) => one.trim() !== '') ?? '';
    const chosen = await choices.ofContact(number.uuid, from, line.trim());
    const files = await Promise.all(
      mail.files.map(async ({ content, mimeType, filename }) => {
        const part = media.partOf(await media.put(number.uuid, content, { mimeType, filename }));
        const kind = kindOf(mimeType);
        return { type: kind, content: { [kind]: { ...part, ...(kind === 'document' && { filename }) } } };
      }),
    );
    if (chosen) return [choiceReply(number, chosen.option, await messages.get(chosen.message)), ...files];
    const cards = mail.cards.length > 0 ? [{ type: 'contacts', content: { contacts: [...mail.cards] } }] : [];
    const body = bodyOf(mail);
    return [...(body === '' ? [] : [{ type: 'text', content: { text: { body } } }]), ...cards, ...files];
  }
}

/** The facts of a mail that operators see besides its text. */
function channelOf({ mail, settings: { authserv_id: server }, job: { raw, via } }: Arrived): JsonObject {
  const short = (texts: readonly string[], max: number): string[] => texts.filter((one) => one.length <= max);
  const cc = short(
    mail.cc.map(({ address }) => address),
    MAX_CHANNEL.address,
  );
  return withoutUndefined({
    message_id: mail.hasOwnId ? mail.id.slice(0, MAX_CHANNEL.subject) : undefined,
    subject: mail.subject.slice(0, MAX_CHANNEL.subject),
    references: short(mail.references, MAX_CHANNEL.id).slice(-MAX_CHANNEL.ids),
    cc: mail.cc.length > 0 ? cc.slice(0, MAX_CHANNEL.addresses) : undefined,
    ...{ via, raw, sealed: mail.sealed },
    authentication: server === undefined ? undefined : authResult(mail.headers['authentication-results'] ?? [], server),
  }) as JsonObject;
}

/** The text of a mail as a message; empty for one that has only files. */
const bodyOf = ({ text, files, cards, subject }: ParsedMail): string =>
  text.trim() || (files.length + cards.length > 0 ? '' : subject || '(no text)');

const kindOf = (type: string): string => (/^image\/(?!(png|jpe?g|gif|webp)$)/.test(type) ? 'document' : fileKindOf(type));
