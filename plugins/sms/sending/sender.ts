import type { AttemptResult, Contributions, HttpOutcome, PluginContext } from '#core';
import {
  attemptDelay,
  attemptOf,
  attemptPolicy,
  type Budget,
  partOf,
  responseOf,
  ServiceUnreachable,
  unansweredAttempt,
} from '#core/messaging';
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
const MAX_DELAY_MS = 60_000;
const RATE_MS = 5_000;
const MAX_WAIT_SECONDS = 3_600;

type Sender = NonNullable<Contributions['senders']>[number];
type Attempt = Parameters<NonNullable<Sender['read']>>[0];
type Record = Attempt['entry']['record'];

/** The body of a delivery. */
interface StoredSms extends SmsText {
  readonly to: string;
  readonly file?: { readonly id?: string; readonly link: string };
}

/** The reason of a refused delivery, from which `settled` reads the code. */
const reasonOf = (code: number): string => `gateway_${code}`;
export const codeIn = (reason: string | undefined): number | undefined => {
  const found = /^gateway_(\d+)$/.exec(reason ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
};

export interface SmsParts {
  readonly accounts: Accounts;
  readonly budget: Budget;
  readonly metrics: SmsMetrics;
  readonly settings: Settings;
}

/** The sender of SMS numbers: a delivery is a request to a gateway. */
export function smsSender(context: PluginContext, { accounts, budget, metrics, settings }: SmsParts): Sender {
  const { store, ids, chunks, media, connections, publicUrl } = context;
  const smsIn = async ({ body }: Attempt['entry']['content']): Promise<StoredSms> => JSON.parse(await chunks.expand(body!));
  const delay = (record: Record): number => attemptDelay(record, ids.random(), MAX_DELAY_MS);
  return {
    name: SENDER,
    policy: attemptPolicy({ attempts: MAX_ATTEMPTS, everyMs: MAX_DELAY_MS, deadlineMs: DEADLINE_MS }),
    destination: (tx, uuid) => connections.destination(tx, uuid),

    async waitMs(_tx, { record, content }) {
      const connection = await connections.of(record.number);
      if (!connection) return 0;
      // Each segment takes its time, so a long message keeps the next one waiting for longer.
      const everyMs = (1_000 * (await smsIn(content)).segments) / settingsOf(connection).segments_per_second;
      return budget.waitMs(attemptOf(record), [{ key: record.number, everyMs, burst: 1 }]);
    },

    async request({ entry: { record, content } }) {
      const connected = await accounts.of(record.number);
      if (!connected) throw new Error('the number is not connected');
      const { gateway, account } = connected;
      const { to, text, file } = await smsIn(content);
      const link = file?.id === undefined ? file?.link : await media.linkOf(record.number, file.id);
      const reports = `${publicUrl()}${callbackPath(record.number, 'statuses')}?m=${record.message}/${partOf(record).part}`;
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
        const { encoding, segments } = await smsIn(content);
        for (let n = 0; n < segments; n++) metrics.segment({ encoding });
        return { kind: 'delivered', status };
      } catch (error) {
        if (error instanceof ServiceUnreachable)
          return unansweredAttempt(error, outcome, { unknownOutcome: settings.unknownOutcome, afterMs: delay(record) });
        if (error instanceof GatewayError) return refused(record, gateway, error, outcome);
        throw error;
      }
    },
  };

  async function refused(record: Record, gateway: Gateway, error: GatewayError, outcome: HttpOutcome): Promise<AttemptResult> {
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
}

function retryAfterMs(outcome: HttpOutcome): number | undefined {
  const seconds = Number(outcome.kind === 'response' && outcome.headers['retry-after']);
  return seconds > 0 ? Math.min(seconds, MAX_WAIT_SECONDS) * 1_000 : undefined;
}
