import type { Server } from '@hapi/hapi';
import type { Clock } from '#core/ports';
import type { ActiveFault, NetworkFault, RecordedCall, ScriptedHttp, StandInReply, StandInServer } from '#core/testing';
import { FaultRules, fetchSender, injectSender, RealClock, serveStandIn, type WebhookSender } from '#core/testing';
import { ApiError, badRequest } from './api-error.js';
import { Parameters, parametersOf } from './call.js';
import { Chats, type PersonSettings } from './chats.js';
import { errorOf, matches, type TelegramFault } from './faults.js';
import { Files } from './files.js';
import { Media, type MediaKind, mediaKinds } from './media.js';
import { Messages, type TelegramSent } from './messages.js';
import { People, type Tapped, type TelegramQuery, type WriteOptions, type Written } from './people.js';
import { DEFAULT_SWITCHES, DEFAULT_TOKEN, fetchFile, type TelegramStandInOptions, type TelegramSwitches } from './settings.js';
import type { TelegramBot, TelegramUpdate, TelegramUser } from './types.js';
import { Updates } from './updates.js';
import { type TelegramDelivery, WebhookCalls } from './webhook.js';

const MAX_REQUEST_BYTES = 51 * 1024 * 1024;
/** Of the text in the answer to a callback query. */
const MAX_ANSWER = 200;
const ACTIONS = /^(typing|choose_sticker|find_location|(record|upload)_(video|voice|video_note)|upload_(photo|document))$/;

/** A method of the Bot API. `rule` is the fault rule of the call. */
type Method = (parameters: Parameters, rule: TelegramFault | undefined) => unknown;

/**
 * A server that plays the Telegram Bot API for tests: one bot, its updates by poll or webhook, and the people who write to it. All times are
 * those of its clock, and all ids except the first `update_id` are counted.
 */
export class TelegramStandIn {
  readonly token: string;
  readonly bot: TelegramBot;
  /** All calls of clients, in order. */
  readonly requests: RecordedCall[] = [];
  /** The chat actions of the bot, such as `typing`. */
  readonly actions: { readonly chat: number; readonly action: string; readonly at: Date }[] = [];
  readonly faults = new FaultRules<TelegramFault>();
  readonly #clock: Clock;
  readonly #files: Files;
  readonly #chats: Chats;
  readonly #messages: Messages;
  readonly #people: People;
  readonly #updates: Updates;
  readonly #webhook: WebhookCalls;
  readonly #methods: Readonly<Record<string, Method>>;
  #switches: TelegramSwitches;
  #send: WebhookSender;
  #url: string;
  #server: StandInServer | undefined;
  #floods: readonly { readonly until: number; readonly chat: number | undefined }[] = [];

  constructor(options: TelegramStandInOptions) {
    const { clock = new RealClock({ onError: reportError }), send = fetchSender } = options;
    this.token = options.token ?? DEFAULT_TOKEN;
    this.bot = botOf(Number(this.token.split(':')[0]), options.username ?? 'stand_in_bot');
    this.#clock = clock;
    this.#url = options.url ?? 'https://telegram.test';
    this.#send = send;
    this.#switches = { ...DEFAULT_SWITCHES, ...options.switches };
    const switches = (): TelegramSwitches => this.#switches;
    this.#files = new Files(clock);
    this.#chats = new Chats(clock, options.firstMessageId);
    const media = new Media(this.#files);
    this.#webhook = new WebhookCalls({
      ...{ clock, switches, send: () => this.#send, nextOf: (chat) => this.#updates.nextOf(chat) },
      settled: (update, answer) => {
        this.#updates.forget(update);
        return this.#callIn(answer);
      },
    });
    this.#updates = new Updates({ clock, switches, webhook: this.#webhook, firstUpdateId: options.firstUpdateId });
    this.#messages = new Messages({ bot: this.bot, chats: this.#chats, media, fetch: options.fetchFile ?? fetchFile });
    const now = (): number => clock.now().getTime();
    this.#people = new People({ bot: this.bot, chats: this.#chats, media, updates: this.#updates, now });
    this.#methods = this.#allMethods();
  }

  /** The base address: `http://127.0.0.1:4711`. Clients append `/bot<token>/<method>`, and `/file/bot<token>/<path>` for files. */
  get url(): string {
    return this.#url;
  }

  /** Opens the port. @throws Error when it is in use */
  async listen(port: number, answer = (call: RecordedCall) => this.answer(call)): Promise<void> {
    this.#server = await serveStandIn(port, this.#clock, answer);
    this.#url = `http://127.0.0.1:${this.#server.port}`;
  }

  /** Closes the port, and ends polls and retries. */
  async stop(): Promise<void> {
    this.#updates.stop();
    await this.#webhook.stop();
    await this.#server?.stop();
  }

  /** Answers the calls that a scripted HTTP client makes to `url`, without a socket. */
  serve(http: ScriptedHttp): void {
    http.answer(`* ${this.#url}/*`, (call) => this.answer(call));
  }

  /** Sends the webhook calls from now on to a hapi server, which need not listen. */
  sendTo(server: Server): void {
    this.#send = injectSender(server);
  }

  /** Answers one call. */
  async answer(call: RecordedCall): Promise<StandInReply | NetworkFault> {
    const { pathname, searchParams } = new URL(call.url);
    this.requests.push(call);
    const [, isFile, token, path = ''] = /^(\/file)?\/bot([^/]*)\/(.+)$/.exec(pathname) ?? [];
    try {
      if (token === undefined) throw new ApiError(404);
      if (![this.token, encodeURIComponent(this.token)].includes(token)) throw new ApiError(401);
      if (call.body.length > MAX_REQUEST_BYTES) throw new ApiError(413);
      const parameters = await parametersOf(call, searchParams);
      const name = isFile ? 'download' : path;
      const chat = parameters.integer('chat_id');
      this.#checkFlood(chat);
      const rule = this.faults.take(({ on }) => matches(on, { method: name, chat, call }));
      if (rule?.error !== undefined) throw errorOf(rule.error);
      if (rule?.respond) return rule.respond;
      if (rule?.connection === 'reset' || rule?.connection === 'hang') return rule.connection;
      const reply = isFile ? this.#files.download(path) : await this.#call(path, parameters, rule);
      if (rule?.connection === 'reset after') return 'reset';
      return rule?.connection === 'silent' ? 'hang' : { ...reply, ...(rule?.holdMs !== undefined && { afterMs: rule.holdMs }) };
    } catch (error) {
      if (error instanceof ApiError) return error.answer;
      throw error;
    }
  }

  /** Changes settings. */
  change(switches: Partial<TelegramSwitches>): void {
    this.#switches = { ...this.#switches, ...switches };
  }

  /** Sets a fault rule. Later rules take precedence. */
  fault(rule: TelegramFault): ActiveFault<TelegramFault> {
    return this.faults.add(rule);
  }

  /** For some seconds every call gets 429 with the rest of them, or only those for a chat. */
  flood(seconds: number, chat?: number): void {
    this.#floods = [...this.#floods, { until: this.#clock.now().getTime() + 1_000 * seconds, chat }];
  }

  /** Describes a person. People need no description to write. */
  person(id: number, settings: PersonSettings = {}): TelegramUser {
    return this.#chats.setPerson(id, settings);
  }

  /** Makes a group, in which the bot is a member. Ids of groups are negative. */
  group(id: number, title: string, type: 'group' | 'supergroup' = 'group'): void {
    this.#chats.setGroup(id, title, type);
  }

  /** A person writes. Resolves with the message when the webhook was attempted. */
  write(from: number, written: string | Written, options?: WriteOptions) {
    return this.#people.write(from, written, options);
  }

  /** A person presses the start button of the bot, or opens a link with a payload. */
  start(from: number, payload?: string) {
    return this.#people.write(from, payload === undefined ? '/start' : `/start ${payload}`);
  }

  /** A person sends several files as an album. */
  album(from: number, items: readonly Written[], options?: WriteOptions) {
    return this.#people.album(from, items, options);
  }

  /** A person edits an own message. */
  edit(from: number, messageId: number, written: string | Written, options?: Pick<WriteOptions, 'chat'>) {
    return this.#people.edit(from, messageId, written, options);
  }

  /**
   * A person taps a button below a message: by its text, its place, or with `{ data }`, which the button need not have. With `isOld` the bot
   * no longer has access to the message.
   */
  tap(from: number, messageId: number, tapped: Tapped, options?: { readonly chat?: number; readonly isOld?: boolean }) {
    return this.#people.tap(from, messageId, tapped, options);
  }

  /** A person taps a key below the input field. */
  choose(from: number, text: string, options?: Pick<WriteOptions, 'chat'>) {
    return this.#people.choose(from, text, options);
  }

  /** A person blocks the bot. */
  block(from: number): Promise<void> {
    return this.#people.block(from, true);
  }

  /** A person no longer blocks the bot. */
  unblock(from: number): Promise<void> {
    return this.#people.block(from, false);
  }

  /** A person adds the bot to a group. */
  join(from: number, group: number): Promise<void> {
    return this.#people.setMember(from, group, true);
  }

  /** A person removes the bot from a group. */
  leave(from: number, group: number): Promise<void> {
    return this.#people.setMember(from, group, false);
  }

  /** A group becomes a supergroup with the id `to`. */
  migrate(from: number, group: number, to: number): Promise<void> {
    return this.#people.migrate(from, group, to);
  }

  /** The network loses a file: `getFile` and sends by its id no longer find it. */
  loseFile(fileId: string): void {
    this.#files.lose(fileId);
  }

  /** The messages of the bot, in order, as they are shown now. */
  get sent(): readonly TelegramSent[] {
    return this.#messages.sent;
  }

  /** All callback queries, with the answers of the bot. */
  get queries(): readonly TelegramQuery[] {
    return this.#people.queries;
  }

  /** The callback queries that the bot has not answered: the person still sees the button load. */
  get openQueries(): readonly TelegramQuery[] {
    return this.queries.filter(({ answer }) => answer === undefined);
  }

  /** All updates, in order. */
  get updates(): readonly TelegramUpdate[] {
    return this.#updates.all;
  }

  /** The webhook calls so far, with their attempts. */
  get deliveries(): readonly TelegramDelivery[] {
    return this.#webhook.sent;
  }

  /** Sends an update again; with `changes`, one of the same id with another body. Default: the last one. */
  repeat(update: TelegramUpdate = this.updates.at(-1)!, changes: Partial<TelegramUpdate> = {}): Promise<void> {
    return this.#updates.repeat({ ...update, ...changes }, chatOf(update));
  }

  /** Keeps the webhook calls of a chat back until `release`, so that later updates of other chats arrive first. */
  hold(chat: number): void {
    void this.#webhook.hold(chat, true);
  }

  release(chat: number): Promise<void> {
    return this.#webhook.hold(chat, false);
  }

  /** Resolves when no webhook call is in flight. */
  idle(): Promise<void> {
    return this.#webhook.idle();
  }

  #allMethods(): Record<string, Method> {
    const messages = this.#messages;
    const isScheduled = (rule: TelegramFault | undefined): boolean => rule?.isScheduled === true;
    const media = (Object.keys(mediaKinds) as MediaKind[]).map((kind): [string, Method] => {
      const method = `send${kind.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`;
      return [method, (parameters, rule) => messages.sendMedia(kind, method, parameters, isScheduled(rule))];
    });
    return {
      ...Object.fromEntries(media),
      getMe: () => this.bot,
      setWebhook: (parameters) => this.#updates.setWebhook(parameters),
      deleteWebhook: (parameters) => this.#updates.deleteWebhook(parameters),
      getWebhookInfo: () => this.#updates.info(),
      getUpdates: (parameters) => this.#updates.poll(parameters),
      sendMessage: (parameters, rule) => messages.sendText(parameters, isScheduled(rule)),
      sendLocation: (parameters, rule) => messages.sendLocation(parameters, isScheduled(rule)),
      sendContact: (parameters, rule) => messages.sendContact(parameters, isScheduled(rule)),
      editMessageText: (parameters) => messages.editText(parameters),
      editMessageReplyMarkup: (parameters) => messages.editMarkup(parameters),
      getFile: (parameters) => this.#files.lookUp(parameters.text('file_id')),
      sendChatAction: (parameters) => this.#act(parameters),
      answerCallbackQuery: (parameters) => this.#answerQuery(parameters),
    };
  }

  /** @throws ApiError */
  async #call(path: string, parameters: Parameters, rule: TelegramFault | undefined): Promise<StandInReply> {
    // Names of methods are case-insensitive.
    const [, method] = Object.entries(this.#methods).find(([name]) => name.toLowerCase() === path.toLowerCase()) ?? [];
    if (!method) throw new ApiError(404, 'Not Found: method not found');
    const result = await method(parameters, rule);
    const isDescribed = typeof result === 'object' && result !== null && 'description' in result && 'result' in result;
    return { body: { ok: true, ...(isDescribed ? result : { result }) } };
  }

  /** A webhook may answer with a call. As on the network, its result is lost. */
  async #callIn(answer: string): Promise<void> {
    const { method, ...fields } = objectIn(answer);
    if (typeof method !== 'string') return;
    await this.#call(method, new Parameters(fields), undefined).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
  }

  #act(parameters: Parameters): true {
    const { id } = this.#chats.reachable(parameters.text('chat_id'));
    const action = parameters.text('action');
    if (!ACTIONS.test(action)) throw badRequest('wrong parameter action in request');
    this.actions.push({ chat: id, action, at: this.#clock.now() });
    return true;
  }

  #answerQuery(parameters: Parameters): true {
    const id = parameters.text('callback_query_id');
    const since = this.#clock.now().getTime() - this.#switches.queryMs;
    const found = this.openQueries.find(({ query, at }) => query.id === id && at >= since);
    if (!found) throw badRequest('query is too old and response timeout expired or query ID is invalid');
    if (parameters.text('text').length > MAX_ANSWER) throw badRequest('MESSAGE_TOO_LONG');
    found.answer = parameters.all;
    return true;
  }

  /** @throws ApiError 429 */
  #checkFlood(chat: number | undefined): void {
    const now = this.#clock.now().getTime();
    this.#floods = this.#floods.filter(({ until }) => until > now);
    const flood = this.#floods.find((one) => one.chat === undefined || one.chat === chat);
    if (flood) throw new ApiError(429, undefined, { retry_after: Math.ceil((flood.until - now) / 1_000) });
  }
}

function botOf(id: number, username: string): TelegramBot {
  return {
    ...{ id, is_bot: true, first_name: 'Stand-in', username, can_join_groups: true, can_read_all_group_messages: true },
    ...{ supports_inline_queries: false, can_connect_to_business: false, has_main_web_app: false, has_topics_enabled: false },
    ...{ allows_users_to_create_topics: false, can_manage_bots: false, supports_join_request_queries: false },
  };
}

/** The object that a webhook has answered with. Most answer with nothing, or with words. */
function objectIn(answer: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(answer));
  } catch {
    return {};
  }
}

/** The chat of an update. */
function chatOf({ message, edited_message, callback_query, my_chat_member }: TelegramUpdate): number {
  return (message ?? edited_message ?? callback_query?.message ?? my_chat_member)!.chat.id;
}

/** Errors of timers on the real clock: a mistake in the stand-in, which must not be lost. */
const reportError = (error: unknown): void => console.error(error);
