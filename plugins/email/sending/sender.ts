import type { Readable } from 'node:stream';
import type { Contributions, HttpOutcome, PluginContext } from '#core';
import { attemptOf, type Budget, type TurnParts } from '#core/messaging';
import { SocketFailed } from '#core/ports';
import { isLoginRefused, type Mailboxes, plusSecret, reasonOf, settingsOf } from '../connection.js';
import { plusAddress } from '../content/addresses.js';
import { remedyOf } from '../errors.js';
import { libraries } from '../libraries.js';
import type { Settings } from '../options.js';

/** The name of the sender, which deliveries store. */
export const SENDER = 'email';

/** Bytes of an attached file. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
const DEADLINE_MS = 120_000;
const FETCH_MS = 20_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Minutes after the first, second … attempt; with the last one repeated, two days. */
const DELAYS = [1, 5, 15, 60];
const MAX_ATTEMPTS = 47;
const WAIT_MS = 5 * 60_000;
/** The reason of a delivery whose outcome is unknown. */
export const UNKNOWN = 'unknown_outcome';
/** The code of an outcome after which the server may have the mail. */
const NO_REPLY = 'NO_REPLY';

type Sender = NonNullable<Contributions['senders']>[number];
type Attempt = Parameters<NonNullable<Sender['read']>>[0];
type Result = Awaited<ReturnType<NonNullable<Sender['read']>>>;
type Record = Attempt['entry']['record'];

/** The body of a delivery. */
export interface StoredMail {
  readonly to: string;
  readonly name?: string;
  readonly subject: string;
  readonly date: string;
  readonly choose: string;
  readonly parts: TurnParts;
  readonly in_reply_to?: string;
  readonly references?: readonly string[];
  readonly automatic?: 'auto-generated' | 'auto-replied';
  readonly language?: string;
}

const minutes = (attempts: number): number => DELAYS[attempts] ?? DELAYS.at(-1)!;

/** The Message-ID of a message, without angle brackets: the same for each attempt, and known before the first. */
export const mailId = (message: string, address: string): string => `m.${message}@${address.slice(address.lastIndexOf('@') + 1)}`;

/** The key of a message in plus addresses. */
export const keyOf = (message: string): string => message.replaceAll('-', '').toLowerCase();
/** The uuid of the message of a key. */
export const uuidOf = (key: string): string => key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The code in the reason of a refused delivery, from which `settled` reads what the server said. */
const reasonFor = (code: number): string => `smtp_${code}`;
export const codeIn = (reason: string | undefined): number | undefined => {
  const found = /^smtp_(\d{3})$/.exec(reason ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
};

interface SenderParts {
  readonly mailboxes: Mailboxes;
  readonly budget: Budget;
  readonly settings: Pick<Settings, 'unknownOutcome'>;
}

/** The sender of e-mail numbers: a delivery is a mail to one recipient. */
export function emailSender(context: PluginContext, { mailboxes, budget, settings }: SenderParts): Sender {
  const { store, clock, ids, chunks, uploads, connections, secrets } = context;
  return {
    name: SENDER,
    policy: {
      gapsMs: Array.from({ length: MAX_ATTEMPTS }, (_, i) => minutes(i) * 60_000),
      jitter: { shortest: 0, span: 0 },
      minGapMs: 0,
      deadlineMs: DEADLINE_MS,
      windowMs: 2 * DAY_MS,
      graceMs: DAY_MS,
    },
    destination: (tx, uuid) => connections.destination(tx, uuid),

    async waitMs(_tx, { record }) {
      const connection = await connections.of(record.number);
      if (!connection) return 0;
      return budget.waitMs(attemptOf(record), [{ key: record.number, everyMs: 1_000 / settingsOf(connection).mails_per_second, burst: 5 }]);
    },

    async request({ entry: { record, content } }) {
      const connection = await connections.of(record.number);
      if (!connection) throw new Error('the number is not connected');
      const { address, name = '', plus_addresses: hasPlus, smtp_host: host, smtp_port: port } = settingsOf(connection);
      const mail = JSON.parse(await chunks.expand(content.body!)) as StoredMail;
      const { file } = mail.parts;
      const found = file && (await uploads.read(file, { maxBytes: MAX_FILE_BYTES, deadlineMs: FETCH_MS }));
      const isGone = file?.id !== undefined && !found;
      const secret = hasPlus ? await secrets.get(plusSecret(record.number)) : undefined;
      const ours = secret === undefined ? undefined : plusAddress(address, keyOf(record.message!), secret);
      await libraries.nodemailer();
      const { writeMail } = await import('../content/write-mail.js');
      const written = await writeMail({
        ...{ id: mailId(record.message!, address), date: new Date(mail.date), from: { name, address }, replyTo: ours },
        to: { name: mail.name ?? '', address: mail.to },
        ...{ subject: mail.subject, inReplyTo: mail.in_reply_to, references: mail.references, automatic: mail.automatic },
        ...{ language: mail.language, parts: mail.parts, choose: mail.choose },
        file: found && { content: found.bytes, mimeType: found.type, filename: found.filename },
      });
      return {
        method: 'SEND',
        url: `smtp://${host}:${port}/`,
        headers: { 'Content-Type': 'message/rfc822' },
        body: written,
        signatures: [],
        deadlineMs: DEADLINE_MS,
        maxResponseBytes: 0,
        perform: async (signal) => {
          // Its link would be one of the platform, which no mail program can open.
          if (isGone)
            return {
              kind: 'unreachable',
              permanent: true,
              code: 'BAD_REQUEST',
              reason: 'the file of the message was deleted',
              elapsedMs: 0,
            };
          const began = clock.monotonic();
          const result = await send(await mailboxes.transportOf(connection), { from: ours ?? address, to: mail.to }, written, signal);
          return { ...result, elapsedMs: clock.monotonic() - began };
        },
      };
    },

    async read({ entry: { record } }, outcome) {
      if (outcome.kind === 'response') return answered(record, outcome.status, Buffer.from(outcome.body).toString());
      if (outcome.kind === 'timeout') return unknown(record, 'the mail server did not answer in time');
      const { code, reason: error, permanent } = outcome;
      if (code === NO_REPLY) return unknown(record, error);
      if (isLoginRefused({ code })) return stopped(record, 535, error);
      if (code === 'ETLS' || code === 'EREQUIRETLS') return stopped(record, 530, error);
      if (permanent) return { kind: 'cancel', status: 502, reason: 'address', error };
      return { kind: 'retry', status: 504, reason: 'network_error', error, afterMs: delay(record) };
    },
  };

  async function answered(record: Record, status: number, text: string): Promise<Result> {
    if (status < 400) return { kind: 'delivered', status };
    const about = { status, reason: reasonFor(status), error: text };
    const remedy = remedyOf(status, text);
    if (remedy === 'wait') budget.block(record.number, WAIT_MS);
    if (remedy === 'wait' || remedy === 'repeat') return { kind: 'retry', ...about, afterMs: delay(record) };
    return remedy === 'stop' ? stopped(record, status, text) : { kind: 'cancel', ...about };
  }

  function unknown(record: Record, error: string): Result {
    if (settings.unknownOutcome === 'fail') return { kind: 'cancel', status: 504, reason: UNKNOWN, error };
    return { kind: 'retry', status: 504, reason: UNKNOWN, error, afterMs: delay(record) };
  }

  async function stopped(record: Record, code: number, title: string): Promise<Result> {
    const fix = 'Check account, password and encryption of the mail server';
    await store.transaction((tx) => connections.stop(tx, record.number, { code, title, fix }));
    // Its destination is paused now, so that it waits there.
    return { kind: 'retry', status: code, reason: reasonFor(code), error: title, afterMs: 0 };
  }

  /** 1, 5, 15, 60 … minutes, and up to a fifth more. */
  function delay({ attempts }: Record): number {
    return Math.round(minutes(attempts) * 60_000 * (1 + 0.2 * ids.random()));
  }
}

type Sent = { [K in HttpOutcome['kind']]: Omit<Extract<HttpOutcome, { kind: K }>, 'elapsedMs'> }[HttpOutcome['kind']];

/** Sends a mail. The reply of the server is the response. */
async function send(
  transport: Awaited<ReturnType<Mailboxes['transportOf']>>,
  envelope: { readonly from: string; readonly to: string },
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Sent> {
  let sent: Readable | undefined;
  const response = (status: number, text: string): Sent => ({ kind: 'response', status, headers: {}, body: Buffer.from(text), cut: false });
  try {
    const begins = (stream: Readable): void => {
      sent = stream;
    };
    const mail = { envelope: { from: envelope.from, to: [envelope.to] }, raw: Buffer.from(bytes), signal, begins };
    const { response: text } = (await transport.sendMail(mail as never)) as { readonly response: string };
    return response(Number.parseInt(text, 10) || 250, text);
  } catch (error) {
    const { code = 'UNKNOWN', responseCode: status } = error as { readonly code?: string; readonly responseCode?: number };
    const reason = reasonOf(error);
    if (isLoginRefused(error)) return { kind: 'unreachable', permanent: false, code: 'EAUTH', reason };
    if (status !== undefined) return response(status, reason);
    const permanent = error instanceof SocketFailed && error.permanent;
    // After its last byte only the final dot follows, so from then on the server may have the mail.
    return { kind: 'unreachable', permanent, code: sent?.readableEnded ? NO_REPLY : code, reason };
  }
}
