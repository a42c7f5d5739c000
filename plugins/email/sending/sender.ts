import type { Readable } from 'node:stream';
import { beforeCommit, type Contributions, deliverySettled, type HttpOutcome, type PluginContext, type Subscription } from '#core';
import {
  attemptOf,
  attemptPolicy,
  type Budget,
  type MessageParts,
  ServiceUnreachable,
  UNKNOWN_OUTCOME,
  unansweredAttempt,
} from '#core/messaging';
import { SocketFailed } from '#core/ports';
import { isLoginRefused, plusSecret, reasonOf, settingsOf, type Transports } from '../connection.js';
import { plusAddress } from '../content/addresses.js';
import { type Remedies, remedyOf } from '../errors.js';
import { libraries } from '../libraries.js';
import type { Settings } from '../options.js';
import type { StoredMail } from '../schemas.js';

/** The name of the sender, which deliveries store. */
export const SENDER = 'email';

/** Bytes of an attached file. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
const DEADLINE_MS = 120_000;
const FETCH_MS = 20_000;
const MINUTE_MS = 60_000;
const TWO_DAYS_MS = 48 * 60 * MINUTE_MS;
/** Minutes after the first, second … attempt; with the last one repeated, two days. */
const DELAYS = [1, 5, 15, 60];
const MAX_ATTEMPTS = 47;
const WAIT_MS = 5 * MINUTE_MS;
/** The code of an outcome after which the server may have the mail. */
const NO_REPLY = 'NO_REPLY';

type Sender = NonNullable<Contributions['senders']>[number];
type Attempt = Parameters<NonNullable<Sender['read']>>[0];
type Result = Awaited<ReturnType<NonNullable<Sender['read']>>>;
type Record = Attempt['entry']['record'];

const delayMs = (attempts: number): number => (DELAYS[attempts] ?? DELAYS.at(-1)!) * MINUTE_MS;

/** The Message-ID of a message, without angle brackets: the same for each attempt, and known before the first. */
export const mailId = (message: string, address: string): string => `m.${message}@${address.slice(address.lastIndexOf('@') + 1)}`;

/** The code in the reason of a refused delivery, from which `settled` reads what the server said. */
const reasonFor = (code: number): string => `smtp_${code}`;
const codeIn = (reason = ''): number => Number(/^smtp_(\d{3})$/.exec(reason)?.[1]);

interface SenderParts {
  readonly transports: Transports;
  readonly budget: Budget;
  readonly settings: Pick<Settings, 'unknownOutcome'>;
}

/** The sender of e-mail numbers: a delivery is a mail to one recipient. */
export function emailSender(context: PluginContext, { transports, budget, settings: { unknownOutcome } }: SenderParts): Sender {
  const { store, clock, ids, chunks, uploads, connections, secrets } = context;
  /** 1, 5, 15, 60 … minutes, and up to a fifth more. */
  const delay = ({ attempts }: Record): number => Math.round(delayMs(attempts) * (1 + 0.2 * ids.random()));
  return {
    name: SENDER,
    policy: {
      ...attemptPolicy({ attempts: MAX_ATTEMPTS, everyMs: MINUTE_MS, deadlineMs: DEADLINE_MS, windowMs: TWO_DAYS_MS }),
      gapsMs: Array.from({ length: MAX_ATTEMPTS }, (_, i) => delayMs(i)),
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
      const {
        to,
        name: contact = '',
        date,
        in_reply_to: inReplyTo,
        ...mail
      } = JSON.parse(await chunks.expand(content.body!)) as StoredMail;
      const { file } = mail.parts;
      const found = file && (await uploads.read(file, { maxBytes: MAX_FILE_BYTES, deadlineMs: FETCH_MS }));
      const secret = hasPlus ? await secrets.get(plusSecret(record.number)) : undefined;
      const ours = secret === undefined ? undefined : plusAddress(address, record.message!.replaceAll('-', ''), secret);
      await libraries.nodemailer();
      const { writeMail } = await import('../content/write-mail.js');
      const written = await writeMail({
        ...{ ...mail, inReplyTo, id: mailId(record.message!, address), date: new Date(date), replyTo: ours },
        ...{ from: { name, address }, to: { name: contact, address: to } },
        file: found && { content: found.bytes, mimeType: found.type, filename: found.filename },
      });
      return {
        ...{ method: 'SEND', url: `smtp://${host}:${port}/`, headers: { 'Content-Type': 'message/rfc822' }, body: written },
        ...{ signatures: [], deadlineMs: DEADLINE_MS, maxResponseBytes: 0 },
        async perform(signal) {
          const began = clock.monotonic();
          // The link of a deleted file would be one of the platform, which no mail program can open.
          const isGone = file?.id !== undefined && !found;
          const sent = isGone
            ? response(554, 'the file of the message was deleted')
            : await send(await transports.of(connection), { from: ours ?? address, to: [to] }, written, signal);
          return { ...sent, elapsedMs: clock.monotonic() - began };
        },
      };
    },

    async read({ entry: { record } }, outcome) {
      const afterMs = delay(record);
      if (outcome.kind === 'response') return answered(record, outcome.status, Buffer.from(outcome.body).toString(), afterMs);
      const { reason, permanent: isPermanent, code } = outcome.kind === 'timeout' ? { ...NO_ANSWER, code: NO_REPLY } : outcome;
      const error = new ServiceUnreachable('The mail server', reason, { isSent: code === NO_REPLY, isPermanent });
      return unansweredAttempt(error, outcome, { unknownOutcome, afterMs });
    },
  };

  async function answered(record: Record, status: number, error: string, afterMs: number): Promise<Result> {
    if (status < 400) return { kind: 'delivered', status };
    const about = { status, reason: reasonFor(status), error };
    const remedy = remedyOf(status, error);
    if (remedy === 'wait') budget.block(record.number, WAIT_MS);
    if (remedy === 'wait' || remedy === 'repeat') return { kind: 'retry', ...about, afterMs };
    if (remedy !== 'stop') return { kind: 'cancel', ...about };
    const fix = 'Check account, password and encryption of the mail server';
    await store.transaction((tx) => connections.stop(tx, record.number, { code: status, title: error, fix }));
    // Its destination is paused now, so that it waits there.
    return { kind: 'retry', ...about, afterMs: 0 };
  }
}

const NO_ANSWER = { reason: 'no answer in time', permanent: false };

type Sent = { [K in HttpOutcome['kind']]: Omit<Extract<HttpOutcome, { kind: K }>, 'elapsedMs'> }[HttpOutcome['kind']];

const response = (status: number, text: string): Sent => ({ kind: 'response', status, headers: {}, body: Buffer.from(text), cut: false });

/** Sends a mail. The reply of the server is the response. */
async function send(
  transport: Awaited<ReturnType<Transports['of']>>,
  envelope: { readonly from: string; readonly to: readonly string[] },
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Sent> {
  let sent: Readable | undefined;
  const begins = (stream: Readable): void => {
    sent = stream;
  };
  try {
    const { response: text = '' } = await transport.sendMail({ envelope, raw: Buffer.from(bytes), signal, begins } as never);
    return response(Number.parseInt(text, 10) || 250, text);
  } catch (error) {
    const { code = 'UNKNOWN', responseCode } = error as { readonly code?: string; readonly responseCode?: number };
    const reason = reasonOf(error);
    // Without a login, or without TLS, no mail can be sent.
    if (isLoginRefused(error) && !(responseCode !== undefined && responseCode < 500)) return response(535, reason);
    const status = responseCode ?? (code === 'ETLS' || code === 'EREQUIRETLS' ? 530 : undefined);
    if (status !== undefined) return response(status, reason);
    // After its last byte only the final dot follows, so from then on the server may have the mail.
    const isHanded = sent?.readableEnded === true;
    const permanent = error instanceof SocketFailed && error.permanent;
    return { kind: 'unreachable', permanent, code: isHanded ? NO_REPLY : code, reason };
  }
}

/** Settles messages: sent when the server has taken the mail, and failed when it refused it, or it was not sent in time. */
export const settled = (sends: MessageParts, { apply }: Remedies): Subscription =>
  beforeCommit(
    deliverySettled,
    sends.settled({
      ...{ isSent: true, isIdentified: true, accepted: () => undefined },
      failed(tx, { number, message, delivery: { reason, last_error: error = reason ?? '' } }) {
        const code = codeIn(reason);
        const details = reason === UNKNOWN_OUTCOME ? `The server may have it: ${error}` : error;
        return apply(tx, number, message.contact, { remedy: Number.isNaN(code) ? 'fail' : remedyOf(code, error), reason: details });
      },
    }),
  );
