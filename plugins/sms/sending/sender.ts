import type { Contributions, HttpOutcome, PluginContext } from '#core';
import { attemptOf, type Budget, responseOf, ServiceUnreachable } from '#core/messaging';
import { type Accounts, callbackPath, settingsOf } from '../connection.js';
import { type Gateway, GatewayError } from '../gateways/gateway.js';
import type { SmsMetrics } from '../metrics.js';
import type { Settings } from '../options.js';
import type { SmsText } from './text.js';

/** The name of the sender, which deliveries store. */
export const SENDER = 'sms';

const DEADLINE_MS = 20_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_ATTEMPTS = 60;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DELAY_MS = 60_000;
const RATE_MS = 5_000;
const MAX_WAIT_SECONDS = 3_600;
/** The reason of a delivery whose outcome is unknown. */
export const UNKNOWN = 'unknown_outcome';

type Sender = NonNullable<Contributions['senders']>[number];
type Attempt = Parameters<NonNullable<Sender['read']>>[0];
type Result = Awaited<ReturnType<NonNullable<Sender['read']>>>;
type Record = Attempt['entry']['record'];

/** The body of a delivery. */
interface StoredSms extends SmsText {
  readonly to: string;
  readonly file?: { readonly id?: string; readonly link: string };
}

/** The message, the part, the number of parts, and the segments of a delivery. */
export function partOf({ event }: Pick<Record, 'event'>): { message: string; part: number; parts: number; segments: number } {
  const [message = '', ...numbers] = event.split('/');
  const [part = 1, parts = 1, segments = 1] = numbers.map(Number);
  return { message, part, parts, segments };
}

/** The reason of a refused delivery, from which `settled` reads the code. */
const reasonOf = (code: number): string => `gateway_${code}`;
export const codeIn = (reason: string | undefined): number | undefined => {
  const found = /^gateway_(\d+)$/.exec(reason ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
};

interface SenderParts {
  readonly accounts: Accounts;
  readonly budget: Budget;
  readonly metrics: SmsMetrics;
  readonly settings: Settings;
}

/** The sender of SMS numbers: a delivery is a request to a gateway. */
export function smsSender(context: PluginContext, { accounts, budget, metrics, settings }: SenderParts): Sender {
  const { store, ids, chunks, media, connections, publicUrl } = context;
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

    async waitMs(_tx, { record }) {
      const connection = await connections.of(record.number);
      if (!connection) return 0;
      // Each segment takes its time, so a long message keeps the next one waiting for longer.
      const everyMs = (1_000 * partOf(record).segments) / settingsOf(connection).segments_per_second;
      return budget.waitMs(attemptOf(record), [{ key: record.number, everyMs, burst: 1 }]);
    },

    async request({ entry: { record, content } }) {
      const connected = await accounts.of(record.number);
      if (!connected) throw new Error('the number is not connected');
      const { gateway, account } = connected;
      const { to, text, file } = JSON.parse(await chunks.expand(content.body!)) as StoredSms;
      const link = file?.id === undefined ? file?.link : await media.linkOf(record.number, file.id);
      const { message, part } = partOf(record);
      const reports = `${publicUrl()}${callbackPath(record.number, 'statuses')}?m=${message}/${part}`;
      const { headers, body = '', ...about } = gateway.request(account, { to, text, media: link, reports });
      return {
        ...about,
        headers: { ...headers },
        body,
        signatures: [],
        deadlineMs: DEADLINE_MS,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        // Gateways have no idempotency keys: a resend by the client would be a second message.
        atMostOnce: true,
      };
    },

    async read({ entry: { record, content } }, outcome) {
      const connected = await accounts.of(record.number);
      if (!connected) return { kind: 'cancel', status: 0, reason: 'not_connected', error: 'the number is not connected any more' };
      const { gateway } = connected;
      try {
        const { status, body } = responseOf(outcome, gateway.title);
        gateway.accepted(status, Buffer.from(body).toString());
        const { encoding, segments } = JSON.parse(await chunks.expand(content.body!)) as StoredSms;
        metrics.segments(encoding, segments);
        return { kind: 'delivered', status };
      } catch (error) {
        if (error instanceof ServiceUnreachable) return unreachable(record, error, outcome);
        if (error instanceof GatewayError) return refused(record, gateway, error, outcome);
        throw error;
      }
    },
  };

  function unreachable(record: Record, { isPermanent, isSent, message: error }: ServiceUnreachable, outcome: HttpOutcome): Result {
    const status = outcome.kind === 'response' ? outcome.status : 504;
    if (isPermanent) return { kind: 'cancel', status: 502, reason: 'address', error };
    if (isSent && settings.unknownOutcome === 'fail') return { kind: 'cancel', status, reason: UNKNOWN, error };
    return { kind: 'retry', status, reason: isSent ? UNKNOWN : 'network_error', error, afterMs: delay(record) };
  }

  async function refused(record: Record, gateway: Gateway, error: GatewayError, outcome: HttpOutcome): Promise<Result> {
    const { status, code, message } = error;
    const about = { status, reason: reasonOf(code), error: message };
    const remedy = gateway.remedyOf(code);
    if (remedy === 'wait') {
      // Meanwhile the gateway refuses every message of the number.
      const afterMs = retryAfterMs(outcome) ?? Math.max(RATE_MS, delay(record));
      budget.block(record.number, afterMs);
      return { kind: 'retry', ...about, afterMs };
    }
    if (remedy === 'repeat') return { kind: 'retry', ...about, afterMs: delay(record) };
    if (remedy !== 'stop') return { kind: 'cancel', ...about };
    const fix = `Fix the account at ${gateway.title}`;
    await store.transaction((tx) => connections.stop(tx, record.number, { code, title: message, fix }));
    // Its destination is paused now, so that it waits there.
    return { kind: 'retry', ...about, afterMs: 0 };
  }

  /** 1, 2, 4 … 60 seconds, and up to a fifth more. */
  function delay({ attempts }: Record): number {
    return Math.round(Math.min(MAX_DELAY_MS, 1_000 * 2 ** attempts) * (1 + 0.2 * ids.random()));
  }
}

function retryAfterMs(outcome: HttpOutcome): number | undefined {
  const seconds = Number(outcome.kind === 'response' && outcome.headers['retry-after']);
  return seconds > 0 ? Math.min(seconds, MAX_WAIT_SECONDS) * 1_000 : undefined;
}
