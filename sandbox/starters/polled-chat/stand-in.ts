/** Plays the messaging service: for tests without a port, and for `play.ts` on one. Keep it as strict as the service is, or tests prove nothing. */
import type { Clock } from 'posthorn/ports';
import type { NetworkFault, RecordedCall, Reply } from 'posthorn/testing';
import type { ServiceMessage, Update } from './service.js';

/** An error of the next calls that send a message. `later`: busy until a date. `lost`: the service has the message, and its answer does not arrive. */
export type Fault = 'refused' | 'busy' | 'later' | 'broken' | 'lost' | 'blocked' | 'revoked';

const ERRORS: Readonly<Record<string, Reply>> = {
  refused: { status: 400, body: 'the message is refused' },
  busy: { status: 429, headers: { 'retry-after': '5' }, body: 'too many messages' },
  blocked: { status: 403, body: 'the person has blocked the bot' },
  revoked: { status: 401, body: 'the token is not valid' },
};
const MAX_TEXT = 4_000;
/** For how long it is busy. */
export const BUSY_MS = 5_000;

export class StandIn {
  readonly url = 'http://service.test';
  readonly token = 'token-of-the-bot';
  /** The messages that people see, in order. */
  readonly sent: (ServiceMessage & { readonly id: string; readonly bytes?: Uint8Array | undefined })[] = [];
  onSent: (message: ServiceMessage) => void = () => undefined;
  readonly #clock: Clock;
  readonly #files = new Map<string, Uint8Array>();
  readonly #faults: Fault[] = [];
  #updates: Update[] = [];
  #poll = new AbortController();
  #ids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  fault(kind: Fault, times: number): void {
    for (let n = 0; n < times; n++) this.#faults.push(kind);
  }

  /** A person writes. @returns the update, for `add`, which sends it again */
  write(chat: string, text: string, id = `m${++this.#ids}`): Update {
    return this.add({ message: { id, text } }, chat);
  }

  writeFile(chat: string, bytes: Uint8Array, type: string): Update {
    const id = `f${++this.#ids}`;
    this.#files.set(id, bytes);
    return this.add({ message: { id: `m${id}`, file: { id, type, name: 'file' } } }, chat);
  }

  /** A person taps a button of the newest message to them that has buttons. */
  tap(chat: string, index: number): Update {
    const data = this.sent.findLast((one) => one.chat === chat && one.buttons.length > 0)?.buttons[index]?.data;
    if (data === undefined) throw new Error(`no button ${index} was shown to ${chat}`);
    return this.add({ tap: { data } }, chat);
  }

  add(about: Partial<Update>, chat: string): Update {
    const update = { ...about, id: ++this.#ids, chat: { id: chat, name: chat } };
    this.#updates.push(update);
    this.#poll.abort();
    return update;
  }

  /** Answers one call. */
  async answer({ method, url, headers, body, text }: RecordedCall): Promise<Reply | NetworkFault> {
    const { pathname, searchParams } = new URL(url);
    const [, path, id = ''] = pathname.split('/');
    if (headers.authorization !== `Bearer ${this.token}`) return ERRORS.revoked!;
    if (path === 'me') return { body: { id: '7000', name: 'Stand-in' } };
    if (path === 'updates') return this.#answerPoll(Number(searchParams.get('after')), Number(searchParams.get('wait')) * 1_000);
    if (path === 'files') return { body: this.#files.get(id) ?? '' };
    if (path !== 'messages' || method !== 'POST') return { status: 404, body: 'no such call' };
    const fault = this.#faults.shift();
    if (fault === 'broken') return 'refuse';
    const [date, until] = [0, BUSY_MS].map((ms) => new Date(this.#clock.now().getTime() + ms).toUTCString()) as [string, string];
    if (fault === 'later') return { ...ERRORS.busy!, headers: { 'retry-after': until, date } };
    if (fault !== undefined && fault !== 'lost') return ERRORS[fault]!;
    const type = headers['content-type'] ?? '';
    const form = type.startsWith('multipart/')
      ? await new Response(body as never, { headers: { 'content-type': type } }).formData()
      : undefined;
    const message = JSON.parse(form ? String(form.get('message')) : text) as ServiceMessage;
    const file = form?.get('file') as Blob | null | undefined;
    if (message.text.length > MAX_TEXT || (message.text === '' && !file)) return ERRORS.refused!;
    this.sent.push({ ...message, id: `m${++this.#ids}`, bytes: file ? new Uint8Array(await file.arrayBuffer()) : undefined });
    this.onSent(message);
    return fault === 'lost' ? 'reset' : { body: { id: `m${this.#ids}` } };
  }

  async #answerPoll(after: number, waitMs: number): Promise<Reply> {
    // The service deletes the updates that the bot has.
    this.#updates = this.#updates.filter((one) => one.id > after);
    this.#poll = new AbortController();
    if (this.#updates.length === 0) await this.#clock.sleep(waitMs, this.#poll.signal);
    return { body: { updates: this.#updates } };
  }
}
