import { createHmac } from 'node:crypto';
import type { Clock } from '#core/ports';
import { callWebhook, type WebhookRequest, type WebhookSender } from '#core/testing';

/** A change in a webhook, and the account and number that select its callback. */
export interface Change {
  readonly wabaId: string;
  readonly phoneNumberId?: string | undefined;
  readonly field: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** How a webhook is sent, other than well. */
export interface WebhookOptions {
  /** `wrong`: signed with another secret. `unescaped`: signed over, and sent with, characters that the network escapes. Default: `valid`. */
  readonly signature?: 'valid' | 'wrong' | 'missing' | 'of the unescaped body';
  /** How many copies are sent at the same time. Default 1. */
  readonly copies?: number;
}

/** A webhook and its attempts. */
export interface StandInWebhook {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Copies sent by `resend` or `copies` are attempts, too. `status` is undefined when there was no response. */
  readonly attempts: { readonly at: Date; readonly status: number | undefined }[];
  /** The callback answered an attempt with 200. */
  readonly isAcknowledged: boolean;
}

interface Outgoing extends StandInWebhook {
  isAcknowledged: boolean;
}

interface Callback {
  readonly url: string;
  readonly send: WebhookSender;
}

const SILENCE_MS = 20_000;
const RETRIED_FOR_MS = 7 * 24 * 60 * 60 * 1000;
const FIRST_GAP_MS = 1_000;
const MAX_PER_VALUE = 1_000;

/** JSON as the network writes it: characters outside ASCII as `\uXXXX`, and `/` as `\/`. */
export const escapedJson = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/');

export const signatureOf = (secret: string, body: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Sends changes to the subscribed callbacks: signed, and retried until one answers 200. */
export class Webhooks {
  /** All webhooks, in the order in which they were made. */
  readonly sent: Outgoing[] = [];
  readonly #clock: Clock;
  readonly #appSecret: string;
  readonly #callbacks = new Map<string, Callback>();
  /** Accounts that the app is not tied to: their webhooks go nowhere. */
  readonly #untied = new Set<string>();
  readonly #stop = new AbortController();
  readonly #pending = new Set<Promise<unknown>>();
  #collected: Change[] | undefined;

  constructor({ clock, appSecret }: { clock: Clock; appSecret: string }) {
    this.#clock = clock;
    this.#appSecret = appSecret;
  }

  /**
   * Calls the callback with a challenge, and subscribes it if the response is exactly that challenge. `key` is a phone number id, an
   * account id, or `app`; the callback of a number has precedence over that of its account, and that one over the app's.
   */
  async subscribe(key: string, url: string, verifyToken: string, send: WebhookSender): Promise<boolean> {
    const challenge = String(1_158_201_444 + this.#callbacks.size);
    const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': challenge, 'hub.verify_token': verifyToken });
    const address = `${url}${url.includes('?') ? '&' : '?'}${query}`;
    const response = await this.#during(() => this.#exchange(send, { method: 'GET', url: address, headers: {} }));
    const isSubscribed = response?.status === 200 && response.body === challenge;
    if (isSubscribed) this.#callbacks.set(key, { url, send });
    return isSubscribed;
  }

  unsubscribe(key: string): void {
    this.#callbacks.delete(key);
  }

  /** Ties the app to an account, or unties it. Without that, an account has no webhooks. */
  tie(wabaId: string, isTied: boolean): void {
    if (isTied) this.#untied.delete(wabaId);
    else this.#untied.add(wabaId);
  }

  isTied(wabaId: string): boolean {
    return !this.#untied.has(wabaId);
  }

  callbackOf(key: string): string | undefined {
    return this.#callbacks.get(key)?.url;
  }

  /** Sends changes, one webhook for each callback. Resolves after the first attempt. Changes without a callback are lost, as on the network. */
  async emit(changes: readonly Change[], options: WebhookOptions = {}): Promise<void> {
    if (this.#collected) return void this.#collected.push(...changes);
    const byCallback = new Map<Callback, Change[]>();
    for (const change of changes.filter(({ wabaId }) => this.isTied(wabaId))) {
      const { wabaId, phoneNumberId = '' } = change;
      const callback = this.#callbacks.get(phoneNumberId) ?? this.#callbacks.get(wabaId) ?? this.#callbacks.get('app');
      if (callback) byCallback.set(callback, [...(byCallback.get(callback) ?? []), change]);
    }
    await Promise.all([...byCallback].map(([callback, changes]) => this.#post(callback, changes, options)));
  }

  /** Collects everything that `work` emits and sends it in one call. */
  async inOneCall(work: () => Promise<unknown>, options: WebhookOptions = {}): Promise<void> {
    this.#collected = [];
    try {
      await work();
    } finally {
      const changes = this.#collected;
      this.#collected = undefined;
      await this.emit(changes, options);
    }
  }

  /** Sends a webhook again, byte for byte, `copies` times at the same time. Retries are not affected. */
  async resend(webhook: StandInWebhook, copies = 1): Promise<void> {
    const callback = [...this.#callbacks.values()].find(({ url }) => url === webhook.url);
    if (!callback) throw new Error(`no callback ${webhook.url} is subscribed`);
    await Promise.all(Array.from({ length: copies }, () => this.#attempt(callback, webhook as Outgoing)));
  }

  /** Resolves when no webhook call is in flight. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.idle();
  }

  async #post(callback: Callback, changes: readonly Change[], { signature = 'valid', copies = 1 }: WebhookOptions): Promise<void> {
    const body = { object: 'whatsapp_business_account', entry: entriesOf(changes) };
    const isPlain = signature === 'of the unescaped body';
    const bytes = Buffer.from(escapedJson(body));
    const headers: Record<string, string> = { 'content-type': 'application/json', 'user-agent': 'facebookexternalua' };
    const secret = signature === 'wrong' ? `not ${this.#appSecret}` : this.#appSecret;
    if (signature !== 'missing') headers['x-hub-signature-256'] = signatureOf(secret, isPlain ? JSON.stringify(body) : bytes);
    const webhook: Outgoing = { url: callback.url, headers, bytes, attempts: [], isAcknowledged: false };
    this.sent.push(webhook);
    await Promise.all(Array.from({ length: copies }, () => this.#attempt(callback, webhook)));
    // The network never sends bad signatures, so it would not retry them either.
    if (signature === 'valid') this.#retryLater(callback, webhook, this.#clock.monotonic(), FIRST_GAP_MS);
  }

  #retryLater(callback: Callback, webhook: Outgoing, startedAt: number, gapMs: number): void {
    const isOver = this.#clock.monotonic() + gapMs - startedAt > RETRIED_FOR_MS;
    if (webhook.isAcknowledged || isOver || this.#stop.signal.aborted) return;
    this.#clock.after(gapMs, async () => {
      if (webhook.isAcknowledged || this.#stop.signal.aborted) return;
      await this.#attempt(callback, webhook);
      this.#retryLater(callback, webhook, startedAt, 2 * gapMs);
    });
  }

  async #attempt({ url, send }: Callback, webhook: Outgoing): Promise<void> {
    const at = this.#clock.now();
    const { headers, bytes: body } = webhook;
    const response = await this.#during(() => this.#exchange(send, { method: 'POST', url, headers, body }));
    webhook.attempts.push({ at, status: response?.status });
    if (response?.status === 200) webhook.isAcknowledged = true;
  }

  /** @returns undefined when the callback cannot be reached or stays silent */
  #exchange(send: WebhookSender, request: Omit<WebhookRequest, 'signal'>): ReturnType<typeof callWebhook> {
    return callWebhook({ clock: this.#clock, send, silenceMs: SILENCE_MS, stop: this.#stop.signal }, request);
  }

  #during<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#clock.during(work);
    this.#pending.add(done);
    const forget = (): void => void this.#pending.delete(done);
    done.then(forget, forget);
    return done;
  }
}

/** Entries by account, and in them changes by number and field; the messages and statuses of a number share a value. */
function entriesOf(changes: readonly Change[]): unknown[] {
  const entries = new Map<string, { field: string; value: Record<string, unknown>; number: string | undefined }[]>();
  for (const { wabaId, phoneNumberId, field, value } of changes) {
    const known = entries.get(wabaId) ?? [];
    entries.set(wabaId, known);
    const same = known.find((one) => one.field === 'messages' && one.field === field && one.number === phoneNumberId);
    if (same && listLengthOf(same.value) < MAX_PER_VALUE) same.value = merged(same.value, value);
    else known.push({ field, value: { ...value }, number: phoneNumberId });
  }
  return [...entries].map(([id, changes]) => ({ id, changes: changes.map(({ field, value }) => ({ value, field })) }));
}

const listLengthOf = (value: Record<string, unknown>): number =>
  Object.values(value).reduce<number>((most, one) => (Array.isArray(one) ? Math.max(most, one.length) : most), 0);

function merged(one: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown> {
  const value = { ...one };
  for (const [key, list] of Object.entries(other)) {
    if (!Array.isArray(list)) continue;
    const items = [...((value[key] as unknown[]) ?? []), ...list];
    value[key] = key === 'contacts' ? unique(items) : items;
  }
  return value;
}

/** Several messages of a contact share one item of `contacts`. */
const unique = (items: readonly unknown[]): unknown[] => [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
