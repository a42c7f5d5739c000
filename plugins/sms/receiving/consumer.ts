import {
  type Consumer,
  consume,
  type Inbound,
  type Job,
  type NumberRecord,
  PlatformError,
  type PluginContext,
  type Transaction,
} from '#core';
import { type Chosen, choiceReply, logUnrecorded, networkAddress, ServiceUnreachable } from '#core/messaging';
import { type Connected, gateways } from '../connection.js';
import type { ReceivedSms } from '../gateways/gateway.js';
import { textsIn } from '../options.js';
import type { SmsParts } from '../sending/sender.js';
import { createFiles, type FetchedFile, isLayout } from './files.js';
import { createConsent } from './opt-out.js';
import { type Received, received } from './queues.js';
import type { Reports } from './reports.js';

/** Attempts to fetch a file; about half an hour. */
const FILE_ATTEMPTS = 8;
const MAX_ATTEMPTS = 12;
const CAPTIONED = ['image', 'video', 'document'];

type SmsFile = ReceivedSms['files'][number];

/** Processes the callbacks of gateways. */
export function receivedConsumer(
  context: PluginContext,
  { accounts, reports, metrics, settings }: Omit<SmsParts, 'budget'> & { reports: Reports },
): Consumer {
  const { store, numbers, contacts, choices, channels, messages, log } = context;
  const files = createFiles(context);
  const consentIn = createConsent(settings.stopWords);

  return consume(
    received,
    async (job) => {
      const { number: uuid, gateway: name, what, fields } = job.payload;
      const number = await numbers.get(uuid);
      if (!number) return;
      const gateway = gateways[name];
      if (what === 'messages') return message(number, gateway.inbound(fields)!, job);
      const report = gateway.report(fields)!;
      if (report.state === 'unknown') {
        metrics.refused({ what: 'status' });
        log.warn('a gateway reported a status that is not known', { number_id: uuid, status: report.status, remote_id: report.id });
      }
      await reports.record(number, gateway, report, job);
    },
    { concurrency: 32, maxAttempts: MAX_ATTEMPTS },
  );

  async function message(number: NumberRecord, sms: ReceivedSms, job: Job<Received>): Promise<void> {
    const from = networkAddress(sms.from) ?? sms.from;
    // Some gateways report an opt-out without the message.
    if (sms.id === '') return store.transaction((tx) => optOut(tx, number, from, sms, job));
    // A duplicate fetches no file again.
    if (await messages.known(number.uuid, 'inbound', sms.id)) return;
    const connected = await accounts.of(number.uuid);
    const fetched: FetchedFile[] = [];
    for (const file of sms.files.filter(({ type }) => !isLayout(type)))
      fetched.push(await fetchedFile(number, connected, file, job.attempt >= FILE_ATTEMPTS));
    const consent = consentIn(sms.text);
    const chosen = consent === 'stop' || fetched.length > 0 ? undefined : await choices.ofContact(number.uuid, from, sms.text);
    const about = { from, timestamp: job.payload.at, contact: { id: from } };
    const [first, ...others] = await contentsOf(number, sms.text, fetched, chosen, job.payload);
    const inbound: Inbound = {
      ...{ ...about, ...first!, id: sms.id },
      parts: others.map((part, i) => ({ ...part, id: `${sms.id}#${i + 2}` })),
      ...(consent === 'stop' && { quiet: 'the contact opts out with it' }),
    };
    await store
      .transaction(async (tx) => {
        const known = await contacts.current(tx, number, from);
        const isBlocked = known?.blocked?.contact !== undefined;
        const isNew = !(await messages.received(tx, number, inbound)).isDuplicate;
        if (isNew && consent === 'stop') await optOut(tx, number, from, sms, job);
        else if (isNew && consent === 'start' && isBlocked) await contacts.unblock(tx, number, known!, 'contact');
        job.done(tx);
      })
      .catch(logUnrecorded(log, { number_id: number.uuid, message_id: sms.id }));
  }

  /** Confirms the opt-out of a contact once, unless the gateway does, and refuses messages to it from then on. */
  async function optOut(tx: Transaction, number: NumberRecord, from: string, sms: ReceivedSms, job: Job<Received>): Promise<void> {
    job.done(tx);
    const contact = await contacts.current(tx, number, from);
    if (!contact || contact.blocked?.contact) return;
    const connected = await accounts.of(number.uuid);
    const answersStop = connected?.account.answers_stop ?? true;
    const isAnswered = sms.isAnswered || (answersStop && connected?.gateway.answersStop(sms.text) === true);
    if (connected && !isAnswered) {
      const { stopped } = textsIn(settings.texts, [contact.fields.language, connected.account.language]);
      const author = { type: 'SYSTEM', id: 'sms', name: 'SMS' } as const;
      await channels.send(tx, number, contact, { turn: { type: 'text', text: { body: stopped } }, author }).catch((error: unknown) => {
        if (!(error instanceof PlatformError)) throw error;
        log.warn('the confirmation of an opt-out was refused', { number_id: number.uuid, error });
      });
    }
    await contacts.block(tx, number, contact, { by: 'contact', reason: `The contact has written "${sms.text.trim().slice(0, 40)}"` });
  }

  async function fetchedFile(
    { uuid }: NumberRecord,
    connected: Connected | undefined,
    file: SmsFile,
    isLast: boolean,
  ): Promise<FetchedFile> {
    const kind = 'document';
    if (!connected) return files.missing(kind, 'the number was disconnected before the file was fetched');
    return files.fetchFile(uuid, connected, file).catch((error: unknown) => {
      if (!isLast || !(error instanceof ServiceUnreachable)) throw error;
      return files.missing(kind, error.message);
    });
  }

  type Part = Pick<Inbound, 'type' | 'content' | 'context' | 'errors'>;

  /** The messages of one SMS or MMS: its text is the caption of the first file, if that can have one. */
  async function contentsOf(
    number: NumberRecord,
    text: string,
    fetched: readonly FetchedFile[],
    chosen: Chosen | undefined,
    { fields }: Received,
  ): Promise<Part[]> {
    if (chosen) return [choiceReply(number, chosen.option, await messages.get(chosen.message))];
    const isCaption = text !== '' && CAPTIONED.includes(fetched[0]?.kind ?? '');
    const parts = fetched.map(({ kind, part, error }, i) => ({
      type: kind,
      content: { [kind]: { ...part, ...(isCaption && i === 0 && { caption: text }) } },
      ...(error && { errors: [error] }),
    }));
    if (text !== '' && !isCaption) return [{ type: 'text', content: { text: { body: text } } }, ...parts];
    // An SMS without anything that can be shown, kept for people.
    return parts.length > 0 ? parts : [{ type: 'unsupported', content: { unsupported: { ...fields } } }];
  }
}
