import type { Contributions, HttpOutcome, Json, JsonObject, PluginContext } from '#core';
import { attemptOf, type Budget } from '#core/messaging';
import { BotApiError, BotApiUnreachable, bodyOf, resultOf, type Upload, urlsOf } from '../bot-api.js';
import type { Bots } from '../connection.js';
import { remedyOf } from '../errors.js';
import type { Settings } from '../options.js';
import { objectOf, textOf } from '../receiving/inbound.js';
import { files } from '../records.js';
import type { BotCall } from './calls.js';

/** The name of the sender, which deliveries store. */
export const SENDER = 'telegram';

const DEADLINE_MS = 60_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Telegram asks for at most so many repetitions in a day: its own errors and limits. */
const MAX_ATTEMPTS = 60;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DELAY_MS = 60_000;
/** To one chat about one message in a second; short bursts pass. */
const CHAT = { everyMs: 1_000, burst: 5 };
/** The reason of a delivery whose outcome is unknown. */
export const UNKNOWN = 'unknown_outcome';

type Sender = NonNullable<Contributions['senders']>[number];
type Attempt = Parameters<NonNullable<Sender['read']>>[0];
type Result = Awaited<ReturnType<NonNullable<Sender['read']>>>;
type Record = Attempt['entry']['record'];

interface SenderParts {
  readonly bots: Bots;
  readonly budget: Budget;
  readonly settings: Settings;
}

export const fileKey = (number: string, field: string, sha256: string): string => `${number}/${field}/${sha256}`;

/** The sender of Telegram bots: a delivery is a call of the Bot API. */
export function telegramSender(context: PluginContext, { bots, budget, settings }: SenderParts): Sender {
  const { store, ids, chunks, media, http, connections } = context;
  const everyMs = 1_000 / settings.messagesPerSecond;
  return {
    name: SENDER,
    // The delays are those of `read`; the gaps limit only the number of attempts.
    policy: {
      gapsMs: Array.from({ length: MAX_ATTEMPTS }, () => MAX_DELAY_MS),
      jitter: { shortest: 0, span: 0 },
      minGapMs: 0,
      deadlineMs: DEADLINE_MS,
      windowMs: DAY_MS,
      graceMs: DAY_MS,
    },
    destination: (tx, uuid) => connections.destination(tx, uuid),

    waitMs: (_tx, { record }) =>
      budget.waitMs(attemptOf(record), [
        { key: record.number, everyMs, burst: 1 },
        { key: `${record.number}/${record.recipient}`, ...CHAT },
      ]),

    async request({ entry: { record, content } }) {
      const bot = await bots.of(record.number);
      if (!bot) throw new Error('the number is not connected');
      const { method, fields, file } = await callIn(content);
      const { given, upload } = file ? await fileOf(record.number, file) : { given: {}, upload: undefined };
      const { body, type } = bodyOf({ ...fields, ...given }, upload);
      return {
        method: 'POST',
        ...urlsOf(bot, method),
        headers: { 'Content-Type': type },
        body,
        signatures: [],
        deadlineMs: DEADLINE_MS,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        // The Bot API has no idempotency keys: a resend by the client would be a second message.
        atMostOnce: true,
      };
    },

    async read({ entry }, outcome) {
      try {
        await remember(entry, objectOf(resultOf(outcome)));
        return { kind: 'delivered', status: 200 };
      } catch (error) {
        if (error instanceof BotApiUnreachable) return unreachable(entry.record, error, outcome);
        if (error instanceof BotApiError) return refused(entry, error);
        throw error;
      }
    },
  };

  /** A file of a call: by the id that Telegram gave it, as bytes, or by its link if it cannot be fetched here. */
  async function fileOf(number: string, { field, id, link, filename }: NonNullable<BotCall['file']>): Promise<{ given: JsonObject; upload?: Upload }> {
    if (id === undefined) return linked(field, link!, filename);
    const about = await media.about(id);
    const known = about && (await store.open(files).get(fileKey(number, field, about.sha256)));
    if (known) return { given: { [field]: known.file_id } };
    const { media: record, bytes } = await media.get(id);
    return { given: {}, upload: { field, bytes, type: record.mime_type, filename: filename ?? record.filename ?? 'file' } };
  }

  /** Fetched here first: Telegram cannot reach every address, and fetches smaller files only. */
  async function linked(field: string, link: string, filename: string | undefined): Promise<{ given: JsonObject; upload?: Upload }> {
    const outcome = await http.send({ method: 'GET', url: link, deadlineMs: DEADLINE_MS / 2, maxResponseBytes: 50 * 1024 * 1024 });
    if (outcome.kind !== 'response' || outcome.status !== 200 || outcome.cut) return { given: { [field]: link } };
    const name = filename ?? (new URL(link).pathname.split('/').at(-1) || 'file');
    const type = outcome.headers['content-type']?.split(';')[0] ?? 'application/octet-stream';
    return { given: {}, upload: { field, bytes: outcome.body, type, filename: name } };
  }

  function unreachable(record: Record, { isPermanent, isSent, message: error }: BotApiUnreachable, outcome: HttpOutcome): Result {
    const status = outcome.kind === 'response' ? outcome.status : 504;
    if (isPermanent) return { kind: 'cancel', status: 502, reason: 'address', error };
    if (isSent && settings.unknownOutcome === 'fail') return { kind: 'cancel', status, reason: UNKNOWN, error };
    return { kind: 'retry', status, reason: isSent ? UNKNOWN : 'network_error', error, afterMs: delay(record) };
  }

  async function refused({ record, content }: Attempt['entry'], error: BotApiError): Promise<Result> {
    const { status, description, retryAfterMs = 1_000 } = error;
    const about = { status, reason: `telegram_${status}`, error: description };
    const remedy = remedyOf(status, description);
    if (remedy === 'wait') {
      // Meanwhile Telegram refuses every call of the bot.
      budget.block(record.number, retryAfterMs);
      return { kind: 'retry', ...about, afterMs: retryAfterMs };
    }
    if (remedy === 'repeat') return { kind: 'retry', ...about, afterMs: delay(record) };
    // Its destination is paused then, so that it waits there.
    if (await bots.stopIfRefused(store, record.number, error)) return { kind: 'retry', ...about, afterMs: 0 };
    if (remedy === 'upload' && (await forgotten(record.number, await callIn(content))))
      return { kind: 'retry', ...about, afterMs: 0 };
    return { kind: 'cancel', ...about };
  }

  /** Keeps the id of an uploaded file, with which later messages send it. */
  async function remember({ record: { number }, content }: Attempt['entry'], result: JsonObject): Promise<void> {
    const { file } = await callIn(content);
    const about = file?.id === undefined ? undefined : await media.about(file.id);
    const id = file && sentFile(result[file.field]);
    if (!file || !about || id === undefined) return;
    const key = fileKey(number, file.field, about.sha256);
    if ((await store.open(files).get(key))?.file_id === id) return;
    await store.transaction((tx) => tx.in(files).put({ key, number, file_id: id }));
  }

  async function callIn({ body }: Attempt['entry']['content']): Promise<BotCall> {
    return JSON.parse(await chunks.expand(body!)) as BotCall;
  }

  /** Forgets the id of a file that Telegram does not know any more. @returns whether there was one, so that an upload can help */
  async function forgotten(number: string, { file }: BotCall): Promise<boolean> {
    const about = file?.id === undefined ? undefined : await media.about(file.id);
    if (!file || !about) return false;
    const key = fileKey(number, file.field, about.sha256);
    return store.transaction(async (tx) => {
      const known = await tx.in(files).get(key);
      tx.in(files).delete(key);
      return known !== undefined;
    });
  }

  /** 1, 2, 4 … 60 seconds, and up to a fifth more. */
  function delay({ attempts }: Record): number {
    return Math.round(Math.min(MAX_DELAY_MS, 1_000 * 2 ** attempts) * (1 + 0.2 * ids.random()));
  }
}

/** The id of a sent file. Of a photo, the largest size is last. */
const sentFile = (value: Json | undefined): string | undefined => textOf(objectOf(Array.isArray(value) ? (value.at(-1) as Json) : value).file_id);
