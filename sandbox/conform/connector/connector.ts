import { randomBytes } from 'node:crypto';
import { CONFORMANCE_MARK as MARK } from '../../../core/events/conformance-mark.js';
import { CheckSkipped, expect, type SubjectCall } from '../check.js';
import { type ContactAction, type ContactSide, driver, type Prompt, person } from '../contact.js';
import { type Exchange, gotOf, headerOf, isSuccess, jsonOf } from '../exchange.js';
import { type MediaLinks, serveMedia } from '../media-server.js';
import { type Enough, type PlatformAccess, PlatformWatch, type Posted, type PostedKind } from '../platform.js';
import { type Post, SignedEndpoint, type SignedOptions } from '../signed.js';
import { buttonsTurn, listTurn, textTurn } from '../turns.js';

const OBSERVE_MS = 4_000;
/** The time in which the platform must begin to deliver a message. */
const DELIVERY_MS = 15_000;
const PAYLOAD_VERSION = '0.0.1-alpha';

/** How a run reaches a connector. */
export interface ConnectorOptions extends SignedOptions {
  /** The platform to which the connector posts messages and statuses. Without it, those checks are skipped. */
  readonly platform?: (PlatformAccess & { readonly channel: string; readonly token?: string | undefined }) | undefined;
  /** A URL of the connector that does what a contact would do. */
  readonly drive?: string | undefined;
  /** Shows a task to a person who acts as the contact, and returns a function that ends the countdown. */
  readonly prompt?: Prompt | undefined;
  /** Milliseconds after which the remaining checks are skipped; 80000 if not given, and 20 minutes with `prompt`. */
  readonly withinMs?: number | undefined;
  /** Milliseconds to wait for what the connector posts; 4000 if not given. */
  readonly observeMs?: number | undefined;
}

/** The messages that the checks of statuses look at: the ids that the connector returned for them, and its posts about them. */
export interface Reported {
  readonly to: string;
  readonly posts: readonly Posted[];
}

export class Connector extends SignedEndpoint {
  readonly platform: PlatformWatch | undefined;
  readonly channel: string | undefined;
  readonly side: ContactSide | undefined;
  readonly #token: string | undefined;
  readonly #observeMs: number;
  readonly #run = randomBytes(4).toString('hex');
  #contacts = 0;
  /** The contacts of the current check. */
  #current = new Set<string>();
  /** The contact id of a person, once it has written. */
  #person: string | undefined;
  #media: Promise<MediaLinks> | undefined;
  readonly #directIds = new Set<string>();
  readonly #once = new Map<string, { readonly outcome: Promise<unknown>; readonly since: readonly Exchange[] }>();

  constructor(options: ConnectorOptions) {
    super(options);
    const { platform, drive, prompt } = options;
    this.platform = platform && new PlatformWatch(platform);
    this.channel = platform?.channel;
    this.#token = platform?.token;
    this.#observeMs = options.observeMs ?? OBSERVE_MS;
    this.side = drive !== undefined ? driver(drive, this.log, this.#observeMs) : prompt && person(prompt);
  }

  override missing(need: string): string | undefined {
    if (need === 'contact')
      return this.side ? undefined : 'needs a contact: give --drive URL, or run it in a terminal and act as the contact yourself';
    if (need === 'platform')
      return this.platform ? undefined : 'needs the platform that the connector posts to: give --channel and --token';
    if (need === 'token') return this.#token ? undefined : 'needs the token of the channel: give --token';
    return undefined;
  }

  subscription(): string {
    return 'channel';
  }

  sample(text: string): string {
    return this.payload(textTurn(text));
  }

  /** A delivery as the platform sends it (Resources, "Outbound payload delivered to the connector webhook"). */
  payload(turn: object, more: object = {}): string {
    const to = this.contact();
    return JSON.stringify({
      to,
      version: PAYLOAD_VERSION,
      block: null,
      context: {},
      resources: [],
      evaluated_resources: [],
      waiting_for_user_input: false,
      turn,
      ...more,
    });
  }

  /** A new contact of this run. */
  contact(): string {
    this.#contacts++;
    const contact = `${MARK}-${this.#run}-${this.#contacts}`;
    this.#current.add(contact);
    return contact;
  }

  override async post(body: string | Buffer, how: Post = {}): Promise<Exchange> {
    const exchange = await super.post(body, how);
    const id = idOf(exchange);
    if (id !== undefined) this.#directIds.add(id);
    return exchange;
  }

  /** Delivers a message. */
  deliver(turn: object, more: object = {}, how: Post = {}): Promise<Exchange> {
    return this.post(this.payload(turn, more), how);
  }

  /** Delivers a message that the connector must accept with an id. @returns the id */
  async accepted(turn: object, more: object = {}, what = 'the message'): Promise<string> {
    const exchange = await this.deliver(turn, more);
    expect(isSuccess(exchange), `a 2XX response to ${what}`, gotOf(exchange));
    const id = idOf(exchange);
    expect(id !== undefined, `a response to ${what} with the text messages[0].id`, bodyText(exchange));
    return id;
  }

  media(): Promise<MediaLinks> {
    this.#media ??= serveMedia();
    return this.#media;
  }

  /** The contact that acts: a new one, or the person. */
  actor(): string {
    return (this.side!.isPerson && this.#person) || this.contact();
  }

  /**
   * Lets the contact act, and waits for the message that the connector posts. @param isIt whether a person did what was asked
   * @throws CheckFailed when the driver failed and the connector posted nothing
   */
  async inbound(action: ContactAction, isIt: (message: Posted['body']) => boolean): Promise<Posted | undefined> {
    const before = await this.platform!.seen('messages');
    const failure = await this.side!.act(action);
    const { isPerson, waitMs } = this.side!;
    const fits = ({ exchange, body }: Posted): boolean => !before.has(exchange.call) && (!isPerson || isIt(body.message ?? {}));
    // A driver responds when it is done. It also fails when the platform refused the message, which the check then reports.
    const [posted] = await this.platform!.waitFor('messages', fits, failure === undefined ? waitMs : 0);
    this.side!.done();
    expect(posted !== undefined || failure === undefined, 'a 2XX response of the driver after a POST of the message', failure ?? '');
    if (posted) this.log.note(posted.exchange);
    if (posted && isPerson) this.#person = posted.body.message?.from;
    return posted;
  }

  /** Delivers a question to the contact that acts. @returns the id that the connector returned */
  async ask(kind: 'button' | 'list' | 'text'): Promise<{ from: string; id: string }> {
    const from = this.actor();
    const turn = { button: buttonsTurn, list: listTurn, text: textTurn }[kind]('Shall we renew your loan?');
    return { from, id: await this.accepted(turn, { to: from, waiting_for_user_input: true }, 'the question') };
  }

  /** Waits for a status about a message that was delivered directly. */
  async statusOf(id: string, status: string): Promise<Posted | undefined> {
    const fits = ({ body }: Posted): boolean => body.status?.id === id && body.status?.status === status;
    const [posted] = await this.platform!.waitFor('statuses', fits, this.side?.waitMs ?? this.#observeMs);
    this.side?.done();
    if (posted) this.log.note(posted.exchange);
    return posted;
  }

  /** Sends a message through the platform once, and returns the statuses that the connector reports. */
  reported(): Promise<Reported> {
    return this.once('reported', async () => {
      const to = this.contact();
      const before = await this.platform!.seen('statuses');
      await this.send(to, 'Your book is ready');
      // The connector also reports statuses of messages that the run delivered itself.
      const fits = ({ exchange, body }: Posted): boolean => !before.has(exchange.call) && !this.#directIds.has(body.status?.id);
      const hasBoth = (found: readonly Posted[]): boolean =>
        ['sent', 'delivered'].every((status) => found.some(({ body }) => body.status?.status === status));
      return { to, posts: await this.postsOf('statuses', fits, hasBoth) };
    });
  }

  /** Does something once, for all checks that look at its outcome. Its exchanges are evidence of each. */
  async once<T>(what: string, work: () => Promise<T>): Promise<T> {
    const started = this.#once.get(what) ?? { outcome: work(), since: this.log.taken() };
    this.#once.set(what, started);
    const outcome = (await started.outcome) as T;
    for (const exchange of started.since) this.log.note(exchange);
    return outcome;
  }

  get #messages(): string {
    return `${this.platform!.api}/v1/messages`;
  }

  /** Sends a text through the platform with the token of the channel, and waits until the connector has responded to it. @throws CheckSkipped */
  async send(to: string, text: string): Promise<Exchange> {
    const exchange = await this.log.call({
      url: this.#messages,
      headers: [
        ['Authorization', `Bearer ${this.#token}`],
        ['Content-Type', 'application/json'],
      ],
      body: JSON.stringify({ to, type: 'text', text: { body: text } }),
      timeoutMs: 2 * this.answerMs,
    });
    expect(isSuccess(exchange), 'the platform to accept a message of the channel', () => `${gotOf(exchange)} ${bodyText(exchange)}`);
    const message = idOf(exchange);
    if (message === undefined || !(await this.platform!.isDelivered(message, DELIVERY_MS + this.answerMs)))
      throw new CheckSkipped('the platform has not delivered the message; is the webhook of the channel paused?');
    return exchange;
  }

  /** Adds the deliveries of messages that the check sent through the platform. @returns the posts about its contacts that it did not look at */
  override async recorded(): Promise<readonly SubjectCall[]> {
    const contacts = this.#current;
    this.#current = new Set();
    if (!this.platform) return [];
    // Statuses follow a response; the pace of the next request leaves them this time.
    await this.log.rest();
    const taken = [...this.log.taken()];
    for (const sent of taken) {
      const message = sent.url === this.#messages ? idOf(sent) : undefined;
      for (const delivered of message === undefined ? [] : await this.platform.deliveriesOf(message)) this.log.note(delivered, sent);
    }
    const known = new Set(taken.map(({ call }) => call));
    const ids = new Set(taken.map(idOf));
    const isAbout = ({ body: { status, message, contact } }: Posted): boolean =>
      [status?.recipient_id, message?.from, contact?.id].some((one) => contacts.has(one)) ||
      (typeof status?.id === 'string' && ids.has(status.id));
    const posts = await this.platform.posted('messages', 'statuses');
    return posts.filter((posted) => !known.has(posted.exchange.call) && isAbout(posted)).map(({ call }) => call);
  }

  /** Waits for posts that fit. */
  async postsOf(what: PostedKind, fits: (posted: Posted) => boolean, enough: Enough): Promise<Posted[]> {
    const found = await this.platform!.waitFor(what, fits, this.#observeMs, enough);
    for (const { exchange } of found) this.log.note(exchange);
    return found;
  }
}

/** `messages[0].id` of a response. */
export function idOf(exchange: Exchange): string | undefined {
  const body = jsonOf(exchange) as { messages?: readonly { id?: unknown }[] } | null | undefined;
  const id = Array.isArray(body?.messages) ? body.messages[0]?.id : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

export const bodyText = ({ response }: Exchange): string => `the body ${JSON.stringify(response?.body.toString().slice(0, 200) ?? '')}`;
export const contentType = (exchange: Exchange): string => headerOf(exchange, 'content-type') ?? 'no Content-Type';
