import { randomInt } from 'node:crypto';
import type { Clock } from '#core/ports';
import { ApiError, badRequest } from './api-error.js';
import type { Parameters } from './call.js';
import type { TelegramSwitches } from './settings.js';
import type { TelegramUpdate, TelegramWebhookInfo } from './types.js';
import type { PendingUpdate, WebhookCalls } from './webhook.js';

export type UpdateKind = Exclude<keyof TelegramUpdate, 'update_id'>;

const KEPT_MS = 24 * 60 * 60 * 1_000;
/** After this long without updates, the next has a random id. */
const QUIET_MS = 7 * KEPT_MS;
const MAX_UPDATES = 100;
const MAX_POLL_S = 50;
const DEFAULT_CONNECTIONS = 40;
const PORTS = ['', '443', '80', '88', '8443'];

const randomId = (): number => randomInt(100_000_000, 900_000_000);
const confirmed = (description: string) => ({ result: true, description });

/** The updates of the bot, and the two ways in which it receives them. */
export class Updates {
  /** All updates that were made for the bot, in order. */
  readonly all: TelegramUpdate[] = [];
  readonly #clock: Clock;
  readonly #webhook: WebhookCalls;
  readonly #switches: () => TelegramSwitches;
  readonly #stop = new AbortController();
  #pending: PendingUpdate[] = [];
  #allowed: readonly string[] = [];
  #nextId: number;
  #lastAt: number | undefined;
  /** The poll that waits for updates. The reason of its end is a refusal, or none when there are updates. */
  #poll: AbortController | undefined;

  constructor(parts: { clock: Clock; webhook: WebhookCalls; switches: () => TelegramSwitches; firstUpdateId: number | undefined }) {
    this.#clock = parts.clock;
    this.#webhook = parts.webhook;
    this.#switches = parts.switches;
    this.#nextId = parts.firstUpdateId ?? randomId();
  }

  /** Makes an update and sends it; undefined for a kind that the bot does not want. Resolves after the first attempt of the webhook. */
  async add<K extends UpdateKind>(kind: K, body: NonNullable<TelegramUpdate[K]>, chat: number): Promise<TelegramUpdate | undefined> {
    if (this.#allowed.length > 0 && !this.#allowed.includes(kind)) return undefined;
    const now = this.#clock.now().getTime();
    if (this.#lastAt !== undefined && now - this.#lastAt > QUIET_MS) this.#nextId = randomId();
    this.#lastAt = now;
    // As it is now: a bot can edit the message that is in it.
    const update: TelegramUpdate = { update_id: this.#nextId++, [kind]: structuredClone(body) };
    this.all.push(update);
    await this.#enqueue({ update, chat, at: now, isRepeated: false });
    return update;
  }

  /** Sends an update again, or one of the same id with another body. */
  async repeat(update: TelegramUpdate, chat: number): Promise<void> {
    await this.#enqueue({ update, chat, at: this.#clock.now().getTime(), isRepeated: true });
  }

  nextOf(chat: number): PendingUpdate | undefined {
    this.#forgetOld();
    return this.#pending.find((one) => one.chat === chat);
  }

  forget(update: PendingUpdate): void {
    this.#pending = this.#pending.filter((one) => one !== update);
  }

  /** `getUpdates`. @throws ApiError 409 */
  async poll(parameters: Parameters): Promise<TelegramUpdate[]> {
    if (this.#webhook.settings)
      throw new ApiError(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    const offset = parameters.integer('offset') ?? 0;
    const limit = Math.min(Math.max(parameters.integer('limit') ?? MAX_UPDATES, 1), MAX_UPDATES);
    const timeoutMs = 1_000 * Math.min(Math.max(parameters.integer('timeout') ?? 0, 0), MAX_POLL_S);
    this.#allow(parameters);
    this.#end(new ApiError(409));
    if (offset < 0) this.#pending = this.#pending.slice(offset);
    else this.#pending = this.#pending.filter(({ update, isRepeated }) => isRepeated || update.update_id >= offset);
    const found = this.#take(limit);
    if (found.length > 0 || timeoutMs === 0) return found;
    const poll = new AbortController();
    this.#poll = poll;
    await this.#clock.sleep(timeoutMs, AbortSignal.any([poll.signal, this.#stop.signal]));
    if (this.#poll === poll) this.#poll = undefined;
    if (poll.signal.reason instanceof ApiError) throw poll.signal.reason;
    return this.#take(limit);
  }

  /** `setWebhook`; without a URL `deleteWebhook`. @throws ApiError */
  async setWebhook(parameters: Parameters) {
    const url = parameters.text('url');
    if (url === '') return this.deleteWebhook(parameters);
    if (this.#switches().webhookUrls === 'https') {
      if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
        throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
      if (!PORTS.includes(new URL(url).port)) throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
    }
    if (!URL.canParse(url)) throw badRequest('invalid webhook URL specified');
    const secret = parameters.text('secret_token');
    if (secret.length > 256) throw badRequest('secret token is too long');
    if (!/^[\w-]*$/.test(secret)) throw badRequest('secret token contains unallowed characters');
    this.#allow(parameters);
    if (parameters.isTrue('drop_pending_updates')) this.#pending = [];
    const { settings } = this.#webhook;
    const maxConnections = Math.min(Math.max(parameters.integer('max_connections') ?? DEFAULT_CONNECTIONS, 1), 100);
    const isSame = settings?.url === url && (settings.secret ?? '') === secret && settings.maxConnections === maxConnections;
    if (isSame) return confirmed('Webhook is already set');
    this.#end(new ApiError(409, 'Conflict: terminated by setWebhook request'));
    this.#webhook.settings = { url, secret: secret === '' ? undefined : secret, maxConnections };
    // Updates that waited are sent after the answer.
    for (const { chat } of this.#pending) void this.#clock.during(() => this.#webhook.drain(chat));
    return confirmed('Webhook was set');
  }

  deleteWebhook(parameters: Parameters) {
    if (parameters.isTrue('drop_pending_updates')) this.#pending = [];
    const wasSet = this.#webhook.settings !== undefined;
    this.#webhook.settings = undefined;
    return confirmed(wasSet ? 'Webhook was deleted' : 'Webhook is already deleted');
  }

  info(): TelegramWebhookInfo {
    this.#forgetOld();
    const { settings } = this.#webhook;
    const last = settings?.lastError;
    return {
      url: settings?.url ?? '',
      has_custom_certificate: false,
      pending_update_count: this.#pending.length,
      ...(last && { last_error_date: last.date, last_error_message: last.message }),
      ...(settings && { max_connections: settings.maxConnections }),
      ...(this.#allowed.length > 0 && { allowed_updates: [...this.#allowed] }),
    };
  }

  stop(): void {
    this.#stop.abort();
  }

  async #enqueue(pending: PendingUpdate): Promise<void> {
    this.#pending.push(pending);
    this.#end();
    await this.#webhook.drain(pending.chat);
  }

  #end(refusal?: ApiError): void {
    this.#poll?.abort(refusal);
    this.#poll = undefined;
  }

  #take(limit: number): TelegramUpdate[] {
    this.#forgetOld();
    const taken = this.#pending.slice(0, limit);
    this.#pending = this.#pending.filter((one) => !(one.isRepeated && taken.includes(one)));
    return taken.map(({ update }) => update);
  }

  /** `allowed_updates` stays in force until it is set again; an empty list means the default kinds. @throws ApiError */
  #allow(parameters: Parameters): void {
    const allowed = parameters.json('allowed_updates', "can't parse allowed updates");
    if (allowed === undefined) return;
    if (!Array.isArray(allowed)) throw badRequest("can't parse allowed updates");
    this.#allowed = allowed.map(String);
  }

  #forgetOld(): void {
    const since = this.#clock.now().getTime() - KEPT_MS;
    this.#pending = this.#pending.filter(({ at }) => at >= since);
  }
}
