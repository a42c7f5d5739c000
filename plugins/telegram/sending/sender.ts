import type { AttemptResult, Contributions, Json, JsonObject, PluginContext } from '#core';
import { objectOf } from '#core/basics';
import { attemptDelay, attemptOf, attemptPolicy, type Budget, ServiceUnreachable, unansweredAttempt } from '#core/messaging';
import { BotApiError, bodyOf, resultOf, type Upload, urlsOf } from '../bot-api.js';
import type { Bots } from '../connection.js';
import { remedyOf } from '../errors.js';
import type { Settings } from '../options.js';
import { textOf } from '../receiving/inbound.js';
import type { BotCall, CallFile } from './calls.js';

/** The name of the sender, which deliveries store. */
export const SENDER = 'telegram';

const DEADLINE_MS = 60_000;
/** Bytes of an upload. */
export const MAX_UPLOAD = 50 * 1024 * 1024;
/** The answer repeats the message and the one that it quotes; after one that is cut off, it is unknown whether the message was sent. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
const MAX_DELAY_MS = 10 * 60_000;
/** About a day. */
const MAX_ATTEMPTS = 144;
/** To one chat about one message in a second; short bursts pass. */
const CHAT = { everyMs: 1_000, burst: 5 };

type Sender = NonNullable<Contributions['senders']>[number];
type Attempt = Parameters<NonNullable<Sender['read']>>[0];
type Record = Attempt['entry']['record'];

interface SenderParts {
  readonly bots: Bots;
  readonly budget: Budget;
  readonly settings: Settings;
}

/** The sender of Telegram bots: a delivery is a call of the Bot API. */
export function telegramSender(context: PluginContext, { bots, budget, settings }: SenderParts): Sender {
  const { store, ids, chunks, uploads, connections } = context;
  const everyMs = 1_000 / settings.messagesPerSecond;
  const delay = (record: Record): number => attemptDelay(record, ids.random(), MAX_DELAY_MS);
  return {
    name: SENDER,
    policy: attemptPolicy({ attempts: MAX_ATTEMPTS, everyMs: MAX_DELAY_MS, deadlineMs: DEADLINE_MS }),
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
        const result = objectOf(resultOf(outcome));
        const { file } = await callIn(entry.content);
        if (file) await uploads.remember(entry.record.number, file.field, file.id, sentFile(result[file.field]));
        return { kind: 'delivered', status: 200 };
      } catch (error) {
        if (error instanceof ServiceUnreachable)
          return unansweredAttempt(error, outcome, { unknownOutcome: settings.unknownOutcome, afterMs: delay(entry.record) });
        if (error instanceof BotApiError) return refused(entry, error);
        throw error;
      }
    },
  };

  /** A file of a call: by the id that Telegram gave it, as bytes, or by its link if it cannot be fetched here: Telegram tries it then. */
  async function fileOf(number: string, { field, ...file }: CallFile): Promise<{ given: JsonObject; upload?: Upload }> {
    const known = await uploads.known(number, field, file.id);
    if (known !== undefined) return { given: { [field]: known } };
    const bytes = await uploads.read(file, { maxBytes: MAX_UPLOAD, deadlineMs: DEADLINE_MS / 2 });
    return bytes ? { given: {}, upload: { field, ...bytes } } : { given: { [field]: file.link } };
  }

  async function refused({ record, content }: Attempt['entry'], error: BotApiError): Promise<AttemptResult> {
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
    if (remedy === 'stop') {
      const isStopped = await bots.stopIfRefused(store, record.number, error);
      return { kind: 'retry', ...about, afterMs: isStopped ? 0 : delay(record) };
    }
    const { file } = await callIn(content);
    if (remedy === 'upload' && file && (await uploads.forget(record.number, file.field, file.id)))
      return { kind: 'retry', ...about, afterMs: 0 };
    return { kind: 'cancel', ...about };
  }

  async function callIn({ body }: Attempt['entry']['content']): Promise<BotCall> {
    return JSON.parse(await chunks.expand(body!)) as BotCall;
  }
}

/** The id of a sent file. Of a photo, the largest size is last. */
const sentFile = (value: Json | undefined): string | undefined =>
  textOf(objectOf(Array.isArray(value) ? (value.at(-1) as Json) : value).file_id);
