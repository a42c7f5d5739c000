import type { Server } from '@hapi/hapi';
import type { ActiveFault, NetworkFault, RecordedCall, ScriptedHttp, StandInReply, StandInServer } from '#core/testing';
import { FaultRules, fetchSender, injectSender, RealClock, serveStandIn, type WebhookSender } from '#core/testing';
import { AccountNodes, NumberNodes } from './accounts.js';
import type { ContactSettings, StandInContact } from './contacts.js';
import { Flows, type StandInFlow, type StandInFlowStatus, validateRoughly } from './flows.js';
import { Graph, type GraphNodes } from './graph.js';
import { GraphError, type GraphErrorFields } from './graph-error.js';
import { Inbound, type WriteOptions } from './inbound.js';
import { MediaStore } from './media.js';
import { Messages, type ReadMark } from './messages.js';
import { Network } from './network.js';
import { refusalOf, ruleFor, type StandInRule, type StandInStatus } from './rules.js';
import {
  DEFAULT_APP_SECRET,
  DEFAULT_NUMBER,
  DEFAULT_SWITCHES,
  DEFAULT_TOKEN,
  DEFAULT_VERIFY_TOKEN,
  type StandInNumber,
  type StandInOptions,
  type StandInSwitches,
} from './settings.js';
import { type AcceptedMessage, Statuses } from './statuses.js';
import { type NewStandInTemplate, type StandInTemplate, type StandInTemplateStatus, Templates } from './templates.js';
import { type Change, type StandInWebhook, type WebhookOptions, Webhooks } from './webhooks.js';

/**
 * A server that plays the WhatsApp Business Cloud API for tests: it takes messages, media, templates and flows, reports statuses, and
 * calls webhooks for what contacts write. Deterministic: ids are counted, and all times are those of its clock.
 */
export class CloudApiStandIn {
  readonly numbers: readonly StandInNumber[];
  readonly accessToken: string;
  readonly appSecret: string;
  readonly verifyToken: string;
  /** All calls of clients, in order. */
  readonly requests: RecordedCall[] = [];
  readonly #network: Network;
  readonly #rules = new FaultRules<StandInRule>();
  readonly #messages: Messages;
  readonly #statuses: Statuses;
  readonly #media: MediaStore;
  readonly #templates: Templates;
  readonly #flows: Flows;
  readonly #inbound: Inbound;
  readonly #numberNodes: NumberNodes;
  readonly #graph: Graph;
  #url: string;
  #send: WebhookSender;
  #server: StandInServer | undefined;

  constructor(options: StandInOptions) {
    const { clock = new RealClock({ onError: reportError }), numbers = [DEFAULT_NUMBER], send = fetchSender } = options;
    this.numbers = numbers;
    this.accessToken = options.accessToken ?? DEFAULT_TOKEN;
    this.appSecret = options.appSecret ?? DEFAULT_APP_SECRET;
    this.verifyToken = options.verifyToken ?? DEFAULT_VERIFY_TOKEN;
    this.#url = options.url ?? 'https://graph.test';
    this.#send = send;
    const webhooks = new Webhooks({ clock, appSecret: this.appSecret });
    const network = new Network({ clock, webhooks, numbers, switches: { ...DEFAULT_SWITCHES, ...options.switches } });
    const currentSend: WebhookSender = (request) => this.#send(request);
    this.#network = network;
    this.#statuses = new Statuses(network);
    this.#media = new MediaStore(network, () => this.#url);
    this.#templates = new Templates(network);
    this.#flows = new Flows({ network, baseUrl: () => this.#url, validate: options.validateFlow ?? validateRoughly });
    this.#messages = new Messages(network, this.#statuses, [
      (_number, message) => this.#media.check(message),
      (number, message) => this.#templates.check(number, message),
      (number, message) => this.#flows.check(number, message),
    ]);
    this.#inbound = new Inbound(network, this.#messages, this.#media);
    this.#numberNodes = new NumberNodes({ network, messages: this.#messages, media: this.#media, send: currentSend });
    const accounts = new AccountNodes({ network, send: currentSend, edges: [this.#templates, this.#flows] });
    const nodes: GraphNodes[] = [this.#numberNodes, accounts, mediaNodes(this.#media), this.#templates, this.#flows];
    this.#graph = new Graph({ network, rules: this.#rules, accessToken: this.accessToken, nodes });
  }

  /** The base address without a version: `http://127.0.0.1:4711`. */
  get url(): string {
    return this.#url;
  }

  /** Opens the port. @throws Error when it is in use */
  async listen(port: number, answer = (call: RecordedCall) => this.answer(call)): Promise<void> {
    this.#server = await serveStandIn(port, this.#network.clock, answer);
    this.#url = `http://127.0.0.1:${this.#server.port}`;
  }

  /** Closes the port and ends retries of webhooks. */
  async stop(): Promise<void> {
    await this.#network.webhooks.stop();
    await this.#server?.stop();
  }

  /** Answers the calls that a scripted HTTP client makes to `url`, without a socket. */
  serve(http: ScriptedHttp): void {
    http.answer(`* ${this.#url}/*`, (call) => this.answer(call));
  }

  /** Answers one call. */
  async answer(call: RecordedCall): Promise<StandInReply | NetworkFault> {
    const url = new URL(call.url);
    this.requests.push(call);
    if (url.pathname.startsWith('/flow-files/')) return this.#flows.download(call);
    if (!url.pathname.startsWith('/media-files/')) return (await this.#graph.answer(call, url)) ?? { status: 404, body: 'Not found' };
    const rule = ruleFor(this.#rules, call, url.pathname);
    try {
      return (rule && refusalOf(rule)) ?? this.#media.download(call, this.#graph.isAuthorized(call));
    } catch (error) {
      if (error instanceof GraphError) return this.#graph.refused(error);
      throw error;
    }
  }

  /**
   * Subscribes a callback: calls it with a challenge and the verify token, and returns whether its response is that challenge.
   * `of` is the phone number id or account id whose webhooks it receives; default: those of all numbers.
   */
  subscribe(
    callbackUrl: string,
    { server, verifyToken = this.verifyToken, of = 'app' }: { server?: Server; verifyToken?: string; of?: string } = {},
  ): Promise<boolean> {
    return this.#network.webhooks.subscribe(of, callbackUrl, verifyToken, server ? injectSender(server) : this.#send);
  }

  /** Changes settings. */
  change(switches: Partial<StandInSwitches>): void {
    this.#network.switches = { ...this.#network.switches, ...switches };
  }

  /** Sets a fault rule. Later rules take precedence. */
  rule(rule: StandInRule): ActiveFault<StandInRule> {
    return this.#rules.add(rule);
  }

  get rules(): Pick<FaultRules<StandInRule>, 'list' | 'remove' | 'clear'> {
    return this.#rules;
  }

  /** Describes a contact. Contacts need no description to write or to receive messages. */
  contact(address: string, settings: ContactSettings = {}): StandInContact {
    return this.#inbound.contact(address, settings);
  }

  /** A contact writes: text, or `{ type: 'location', location: {…} }`. Resolves with the message id when the webhook was attempted. */
  write(from: string, message: string | Readonly<Record<string, unknown>>, options?: WriteOptions): Promise<string> {
    return this.#inbound.write(from, message, options);
  }

  /** A contact changes their number. */
  changeNumber(from: string, to: string, options?: Pick<WriteOptions, 'to'>): Promise<string> {
    return this.#inbound.changeNumber(from, to, options);
  }

  /** The messages that were accepted, in order. */
  get sent(): readonly AcceptedMessage[] {
    return this.#messages.accepted;
  }

  /** The messages that were marked as read. */
  get readMarks(): readonly ReadMark[] {
    return this.#messages.readMarks;
  }

  /** Reports a status of an accepted message now. `error` is the code of `failed`; `at` is when it happened. */
  async status(id: string, status: StandInStatus, { error, at }: { error?: number | GraphErrorFields; at?: Date } = {}): Promise<void> {
    const message = this.sent.find((one) => one.id === id);
    if (!message) throw new Error(`no message ${id} was accepted`);
    await this.#statuses.report(message, status, error, at);
  }

  /** Deletes a file, so that look-ups and downloads no longer find it. */
  loseMedia(id: string): void {
    this.#media.lose(id);
  }

  /** Adds a template: approved, in `en_US`, of the first account, unless the fields say otherwise. */
  addTemplate(template: NewStandInTemplate): StandInTemplate {
    return this.#templates.add(template);
  }

  /** The network approves, rejects, pauses or disables a template, and sends the webhook. */
  changeTemplateStatus(id: string, status: StandInTemplateStatus, reason?: string): Promise<void> {
    return this.#templates.changeStatus(id, status, reason);
  }

  /** The flows of all accounts, oldest first. */
  get flows(): readonly StandInFlow[] {
    return this.#flows.list();
  }

  /** The network throttles, blocks or restores a flow, and sends the webhook. */
  changeFlowStatus(id: string, status: StandInFlowStatus): Promise<void> {
    return this.#flows.changeStatus(id, status);
  }

  /** The webhooks so far, with their attempts. */
  get webhooks(): readonly StandInWebhook[] {
    return this.#network.webhooks.sent;
  }

  /** Sends any change, such as one of an unknown number. */
  emit(change: Change, options?: WebhookOptions): Promise<void> {
    return this.#network.webhooks.emit([change], options);
  }

  /** Sends everything that `work` causes in one webhook: `await standIn.inOneCall(async () => { await standIn.write(…); … })`. */
  inOneCall(work: () => Promise<unknown>, options?: WebhookOptions): Promise<void> {
    return this.#network.webhooks.inOneCall(work, options);
  }

  /** Sends a webhook again, byte for byte; `copies` of it at the same time. */
  resend(webhook: StandInWebhook, copies?: number): Promise<void> {
    return this.#network.webhooks.resend(webhook, copies);
  }

  /** The quality of a number changes: GREEN, YELLOW or RED. */
  async changeQuality(phoneNumberId: string, quality: 'GREEN' | 'YELLOW' | 'RED', limit = 'TIER_1K'): Promise<void> {
    const { wabaId, address } = this.#network.number(phoneNumberId);
    this.#numberNodes.setQuality(phoneNumberId, quality);
    const value = {
      display_phone_number: address.replace('+', ''),
      event: quality === 'GREEN' ? 'UNFLAGGED' : 'FLAGGED',
      current_limit: limit,
    };
    await this.emit({ wabaId, phoneNumberId, field: 'phone_number_quality_update', value });
  }

  /** Resolves when no webhook call is in flight. */
  idle(): Promise<void> {
    return this.#network.webhooks.idle();
  }
}

const mediaNodes = (media: MediaStore): GraphNodes => ({
  has: (id) => media.has(id),
  call({ method, id, edge, query }) {
    if (edge !== '') return undefined;
    if (method === 'GET') return media.lookUp(id, query.get('phone_number_id'));
    return method === 'DELETE' ? media.delete(id) : undefined;
  },
});

/** Errors of timers on the real clock: a mistake in the stand-in, which must not be lost. */
const reportError = (error: unknown): void => console.error(error);
