import type { Clock } from '#core/ports';
import { callWebhook, type WebhookAnswer, type WebhookSender } from '#core/testing';
import type { TelegramSwitches } from './settings.js';
import type { TelegramUpdate } from './types.js';

/** An update that waits for its delivery. */
export interface PendingUpdate {
  readonly update: TelegramUpdate;
  /** The chat whose updates are sent one after the other. */
  readonly chat: number;
  /** Milliseconds of the clock. */
  readonly at: number;
  /** It was sent before: a poll returns it once more, whatever its offset. */
  readonly isRepeated: boolean;
}

/** A webhook call and its attempts. */
export interface TelegramDelivery {
  readonly url: string;
  readonly update: TelegramUpdate;
  readonly headers: Readonly<Record<string, string>>;
  /** `status` is undefined when there was no response. */
  readonly attempts: { readonly at: Date; readonly status: number | undefined }[];
  /** The webhook answered an attempt with 2xx. */
  readonly isAcknowledged: boolean;
}

interface Outgoing extends TelegramDelivery {
  isAcknowledged: boolean;
}

/** A webhook in force. */
export interface WebhookSettings {
  readonly url: string;
  readonly secret: string | undefined;
  readonly maxConnections: number;
  lastError?: { readonly date: number; readonly message: string };
  /** Since when it has answered nothing but 410; undefined if it has answered otherwise. */
  goneSince?: number | undefined;
}

/** The deliveries of a chat. */
interface Lane {
  running: Promise<void> | undefined;
  /** A failed delivery waits for its next attempt. */
  isWaiting: boolean;
  isHeld: boolean;
  failures: number;
}

const SILENCE_MS = 60_000;
const MAX_GAP_MS = 60_000;
const MAX_RETRY_AFTER_S = 3_600;

/** Sends updates to the webhook: those of a chat one after the other, and each again until the webhook answers with 2xx. */
export class WebhookCalls {
  /** All deliveries, in the order of their first attempts. */
  readonly sent: Outgoing[] = [];
  settings: WebhookSettings | undefined;
  readonly #clock: Clock;
  readonly #send: () => WebhookSender;
  readonly #switches: () => TelegramSwitches;
  readonly #nextOf: (chat: number) => PendingUpdate | undefined;
  readonly #settled: (update: PendingUpdate, answer: string) => Promise<void>;
  readonly #lanes = new Map<number, Lane>();
  readonly #stop = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();

  /** `nextOf` is the first pending update of a chat. `settled` receives one that was accepted, with the body of the answer. */
  constructor(parts: {
    clock: Clock;
    send: () => WebhookSender;
    switches: () => TelegramSwitches;
    nextOf: (chat: number) => PendingUpdate | undefined;
    settled: (update: PendingUpdate, answer: string) => Promise<void>;
  }) {
    this.#clock = parts.clock;
    this.#send = parts.send;
    this.#switches = parts.switches;
    this.#nextOf = parts.nextOf;
    this.#settled = parts.settled;
  }

  /** Sends the updates of a chat, unless one of them waits for its next attempt. Resolves after the attempts of now. */
  drain(chat: number): Promise<void> {
    const lane = this.#laneOf(chat);
    if (lane.isWaiting || !this.settings) return Promise.resolve();
    lane.running ??= Promise.resolve().then(() => this.#run(chat, lane));
    return lane.running;
  }

  /** Keeps the updates of a chat back, so that those of other chats arrive before them; `false` sends them. */
  hold(chat: number, isHeld: boolean): Promise<void> {
    this.#laneOf(chat).isHeld = isHeld;
    return isHeld ? Promise.resolve() : this.drain(chat);
  }

  /** Resolves when no call is in flight. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.idle();
  }

  async #run(chat: number, lane: Lane): Promise<void> {
    try {
      for (;;) {
        const settings = this.settings;
        const next = this.#nextOf(chat);
        if (!settings || !next || lane.isHeld || this.#stop.signal.aborted) return;
        const gapMs = await this.#attempt(settings, next, lane);
        if (gapMs === undefined) continue;
        lane.isWaiting = true;
        this.#clock.after(gapMs, () => {
          lane.isWaiting = false;
          return this.#stop.signal.aborted ? undefined : this.drain(chat);
        });
        return;
      }
    } finally {
      lane.running = undefined;
    }
  }

  /** @returns the milliseconds until the next attempt; undefined when the update was accepted */
  async #attempt(settings: WebhookSettings, next: PendingUpdate, lane: Lane): Promise<number | undefined> {
    const { update } = next;
    const { url, secret } = settings;
    const headers = { 'content-type': 'application/json', ...(secret !== undefined && { 'x-telegram-bot-api-secret-token': secret }) };
    const known = this.sent.find((one) => one.update === update && one.url === url && !one.isAcknowledged);
    const delivery: Outgoing = known ?? { url, update, headers, attempts: [], isAcknowledged: false };
    if (!known) this.sent.push(delivery);
    const at = this.#clock.now();
    const answer = await this.#exchange({ method: 'POST', url, headers, body: Buffer.from(JSON.stringify(update)) });
    delivery.attempts.push({ at, status: answer?.status });
    if (answer && answer.status >= 200 && answer.status < 300) {
      delivery.isAcknowledged = true;
      lane.failures = 0;
      settings.goneSince = undefined;
      await this.#settled(next, answer.body);
      return undefined;
    }
    const message = answer ? `Wrong response from the webhook: ${answer.status}` : 'Read timeout expired';
    settings.lastError = { date: Math.floor(at.getTime() / 1_000), message };
    this.#judge(settings, answer?.status);
    const wait = Number(answer?.headers?.['retry-after']);
    const gapMs = Math.min(1_000 * 2 ** lane.failures++, MAX_GAP_MS);
    return wait > 0 ? 1_000 * Math.min(wait, MAX_RETRY_AFTER_S) : gapMs;
  }

  /** Removes a webhook that has said for long enough that it is gone. */
  #judge(settings: WebhookSettings, status: number | undefined): void {
    const now = this.#clock.monotonic();
    if (status !== 410) settings.goneSince = undefined;
    else settings.goneSince ??= now;
    const isOver = settings.goneSince !== undefined && now - settings.goneSince >= this.#switches().goneMs;
    if (isOver && this.settings === settings) this.settings = undefined;
  }

  #exchange(request: Parameters<typeof callWebhook>[1]): Promise<WebhookAnswer | undefined> {
    const parts = { clock: this.#clock, send: this.#send(), silenceMs: SILENCE_MS, stop: this.#stop.signal };
    const done = this.#clock.during(() => callWebhook(parts, request));
    this.#inFlight.add(done);
    const forget = (): void => void this.#inFlight.delete(done);
    done.then(forget, forget);
    return done;
  }

  #laneOf(chat: number): Lane {
    const lane = this.#lanes.get(chat) ?? { running: undefined, isWaiting: false, isHeld: false, failures: 0 };
    this.#lanes.set(chat, lane);
    return lane;
  }
}
