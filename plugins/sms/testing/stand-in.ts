import type { Server } from '@hapi/hapi';
import type { Clock } from '#core/ports';
import {
  type ActiveFault,
  callWebhook,
  FaultRules,
  fetchSender,
  injectSender,
  type NetworkFault,
  RealClock,
  type RecordedCall,
  type ScriptedHttp,
  type StandInReply,
  type StandInServer,
  serveStandIn,
  type WebhookAnswer,
  type WebhookSender,
} from '#core/testing';
import { fetchFile, type SentSms, type SmsFault, type SmsStandInOptions, type WrittenSms } from './settings.js';
import { recipients, type Shape, shapes } from './shapes.js';

/** As long as Twilio waits for an answer. */
const SILENT_MS = 15_000;
const STOP = /^(stop|stopall|unsubscribe|cancel|end|quit|revoke|optout)$/i;
const START = /^(start|yes|unstop)$/i;
const OPTED_OUT = { status: 400, code: 21_610, message: 'Attempt to send to unsubscribed recipient' };

/** The callbacks of the gateway: where it sends what people write, and its reports if messages do not say where. */
export interface SmsCallbacks {
  readonly messages?: string;
  readonly statuses?: string;
}

/** A call of the gateway, and its answer: undefined if there was none. */
export interface SmsCallback {
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
  readonly answer: WebhookAnswer | undefined;
}

/** A server that plays an SMS gateway for tests: one account with one number, and the people who write to it. All ids are counted. */
export class SmsStandIn {
  readonly shape: SmsStandInOptions['shape'];
  readonly sender: string;
  /** All requests of clients, in order. */
  readonly requests: RecordedCall[] = [];
  /** The messages that it took, in order. */
  readonly sent: SentSms[] = [];
  /** Its callbacks, in order. */
  readonly callbacks: SmsCallback[] = [];
  readonly faults = new FaultRules<SmsFault>();
  readonly #options: SmsStandInOptions;
  readonly #shape: Shape;
  readonly #clock: Clock;
  readonly #files = new Map<string, { readonly type: string; readonly bytes: Uint8Array }>();
  readonly #optedOut = new Set<string>();
  readonly #stop = new AbortController();
  readonly #open = new Set<Promise<unknown>>();
  #addresses: SmsCallbacks = {};
  #send: WebhookSender;
  #url: string;
  #server: StandInServer | undefined;
  #made = 0;

  constructor(options: SmsStandInOptions) {
    this.#options = options;
    this.shape = options.shape;
    this.sender = options.sender ?? '+15550100000';
    this.#shape = shapes[options.shape];
    this.#clock = options.clock ?? new RealClock({ onError: (error) => console.error(error) });
    this.#send = options.send ?? fetchSender;
    this.#url = options.url ?? 'https://gateway.test';
  }

  /** The base address, such as `http://127.0.0.1:4711`. */
  get url(): string {
    return this.#url;
  }

  /** The account and its token. */
  get account(): string {
    return this.#shape.account;
  }
  get token(): string {
    return this.#shape.token;
  }

  /** Opens the port. @throws Error when it is in use */
  async listen(port: number, answer = (call: RecordedCall) => this.answer(call)): Promise<void> {
    this.#server = await serveStandIn(port, this.#clock, answer);
    this.#url = `http://127.0.0.1:${this.#server.port}`;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#server?.stop();
  }

  /** Answers the requests that a scripted HTTP client makes to `url`, without a socket. */
  serve(http: ScriptedHttp): void {
    http.answer(`* ${this.#url}/*`, (call) => this.answer(call));
  }

  /** Sends the callbacks from now on to a hapi server, which need not listen. */
  sendTo(server: Server): void {
    this.#send = injectSender(server);
  }

  /** Sets the callbacks, as a person does on the page of the gateway. */
  connect(addresses: SmsCallbacks): void {
    this.#addresses = addresses;
  }

  fault(rule: SmsFault): ActiveFault<SmsFault> {
    return this.faults.add(rule);
  }

  /** Resolves when no callback is in flight. */
  async idle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /** Answers one request. */
  async answer(call: RecordedCall): Promise<StandInReply | NetworkFault> {
    const { pathname } = new URL(call.url);
    this.requests.push(call);
    const { send, account, file } = this.#shape.paths;
    const path = send.test(pathname) ? 'send' : account.test(pathname) ? 'account' : file.test(pathname) ? 'file' : undefined;
    if (path === undefined) return { status: 404, body: { message: 'no such route', code: 20_404, status: 404 } };
    const form = new URLSearchParams(call.text);
    const sms = this.#shape.read(form);
    const rule = this.faults.take(({ on = {} }) => matches(on, path, sms));
    if (rule?.error) return this.#shape.refused(rule.error, sms.to);
    if (rule?.respond) return rule.respond;
    if (rule?.recipients !== undefined) return recipients([], rule.recipients);
    if (rule?.connection === 'refuse' || rule?.connection === 'reset' || rule?.connection === 'hang') return rule.connection;
    if (!this.#shape.isAuthorized(call.headers)) return this.#shape.refused({ status: 401, code: 20_003, message: 'Authenticate' }, sms.to);
    if (path === 'account') return { body: { sid: this.account, status: 'active', UserData: { balance: 'KES 10.00' } } };
    if (path === 'file') return this.#file(file.exec(pathname)![1]!);
    if (this.#optedOut.has(sms.to)) return this.#shape.refused(OPTED_OUT, sms.to);
    const taken: SentSms = { ...sms, id: this.#id(), reports: [], bytes: sms.file === undefined ? undefined : await this.#fetch(sms.file) };
    this.sent.push(taken);
    if (rule?.reportFirst !== undefined) await this.report(taken.id, rule.reportFirst);
    if (rule?.connection === 'reset after') return 'reset';
    if (rule?.connection === 'silent') return 'hang';
    if (this.#options.reports?.length) void this.#reportAll(taken);
    return this.#shape.accepted(taken);
  }

  /** A person writes. Resolves with the id of the message after the response to the callback. */
  async write(from: string, text: string, { id = this.#id(), files = [], fields = {}, signature }: WrittenSms = {}): Promise<string> {
    const listed = files.map((file) => {
      const key = `ME${++this.#made}`;
      this.#files.set(key, file);
      return [`${this.#url}/2010-04-01/Accounts/${this.account}/Messages/${id}/Media/${key}`, file.type] as const;
    });
    const form = { ...this.#shape.written(id, from, this.sender, text, listed), ...fields };
    const isStop = this.#answersStop && STOP.test(text);
    if (isStop) this.#optedOut.add(from);
    if (this.#answersStop && START.test(text)) this.#optedOut.delete(from);
    const about = isStop ? { OptOutType: 'STOP' } : {};
    if (this.#addresses.messages === undefined) throw new Error('the address of the callback for messages is not set');
    await this.#call(this.#addresses.messages, { ...form, ...about }, signature);
    return id;
  }

  /** Reports on a message: in any order, also twice. `status` is a word of the gateway. Resolves after the response to the callback. */
  async report(id: string, status: string, about: { code?: number; reason?: string; signature?: string } = {}): Promise<void> {
    const sms = this.sent.find((one) => one.id === id);
    if (!sms) throw new Error(`no message has the id ${id}`);
    const url = sms.callback ?? this.#addresses.statuses;
    if (url === undefined) throw new Error('the address of the callback for reports is not set');
    sms.reports.push(status);
    await this.#call(url, this.#shape.report(sms, status, about), about.signature);
  }

  /** Sends a callback again, as it was. */
  async repeat({ url, form }: SmsCallback = this.callbacks.at(-1)!): Promise<void> {
    await this.#call(url, form);
  }

  get #answersStop(): boolean {
    return this.#options.answersStop ?? this.shape === 'twilio';
  }

  async #reportAll({ id }: SentSms): Promise<void> {
    // Not before its answer.
    await this.#clock.sleep(1, this.#stop.signal);
    for (const status of this.#options.reports ?? []) if (!this.#stop.signal.aborted) await this.report(id, status);
  }

  async #call(url: string, fields: Readonly<Record<string, string | undefined>>, signature?: string): Promise<void> {
    const form = Object.fromEntries(Object.entries(fields).filter((one): one is [string, string] => one[1] !== undefined));
    const body = new URLSearchParams(form);
    const signed = this.#shape.headers(url, body);
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      ...signed,
      ...(signature !== undefined && { 'x-twilio-signature': signature }),
    };
    const call = callWebhook(
      { clock: this.#clock, send: this.#send, silenceMs: SILENT_MS, stop: this.#stop.signal },
      { method: 'POST', url, headers, body: Buffer.from(body.toString()) },
    );
    const answer = await this.#track(call);
    this.callbacks.push({ url, form, answer });
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#open.add(work);
    return work.finally(() => this.#open.delete(work));
  }

  #file(key: string): StandInReply {
    const file = this.#files.get(key);
    return file ? { headers: { 'content-type': file.type }, body: file.bytes } : { status: 404, body: 'no such file' };
  }

  #fetch(url: string): Promise<Uint8Array | undefined> {
    const { fetchFile: fetcher = fetchFile } = this.#options;
    return fetcher(url).then(
      ({ bytes }) => bytes,
      () => undefined,
    );
  }

  #id(): string {
    const count = String(++this.#made);
    return this.shape === 'twilio' ? `SM${count.padStart(32, '0')}` : `ATXid_${count}`;
  }
}

function matches({ path = 'send', to, contains }: NonNullable<SmsFault['on']>, of: string, sms: { to: string; text: string }): boolean {
  return path === of && (to === undefined || to === sms.to) && (contains === undefined || sms.text.includes(contains));
}
