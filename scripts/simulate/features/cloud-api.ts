import { RealClock, RecordedCall } from '#core/testing';
import { type CloudApiStandIn, cloudApiStandIn } from '../../../plugins/cloud-api/testing/index.js';
import type { Exchange, Received } from '../network.js';
import type { Random } from '../random.js';
import { Answer, Receiver } from '../receiver.js';
import { type Feature, HOUR_MS, type Run, type Work } from '../run.js';
import { createNetworkNumber, storedMessages, subscribe, type UsedNumber } from '../set-up.js';
import { expectedStatus, type Report, reportsOf } from '../statuses.js';

const HOST = 'graph.facebook.com';
const CONTACTS = 8;
/** Messages from and to a contact, before another one takes its place. */
const PER_CONTACT = 60;
/** The share of messages that the contact writes; the others are sent to it. */
const WRITTEN = 0.4;
/** Operations for a message, with its statuses. */
const PER_MESSAGE = 4;
/** The share of calls that the network makes again although it got 200, and of calls of another caller. */
const TWICE = 0.05;
const FORGED = 0.03;
const TEMPLATES = 0.2;
/** A send of unknown outcome waits two minutes for a status; the clock of the platform may be a little fast. */
const DOUBT_MS = 115_000;
/** A status that the platform has acknowledged is processed after this long. */
const PROCESSED_MS = 10_000;
const SECRETS = { access_token: 'stand-in-access-token', app_secret: 'stand-in-app-secret', verify_token: 'stand-in-verify-token' };
const TEMPLATE = 'due';

/** When a combined signal reaches its listeners depends on the garbage collection, so that two runs of a seed would differ: nothing ends a pause early. */
class PatientClock extends RealClock {
  override sleep(ms: number): Promise<void> {
    return super.sleep(ms);
  }
}

/** A message that a client has sent. */
interface Sent {
  readonly text: string;
  readonly to: string;
  /** Its id in the response of the call. */
  uuid?: string;
  /** The platform's requests to the network. */
  readonly requests: Exchange[];
  /** The network's ids: several, if it was accepted several times. */
  readonly ids: string[];
  /** Reports of which a call was acknowledged, and when that was for the first time. */
  readonly acknowledged: Report[];
  acknowledgedAt?: number;
}

/**
 * A number of the Cloud API, on the stand-in of that network: contacts write, a client answers, and the network reports statuses in any order.
 * Each message that the platform has acknowledged is stored once, and is sent again only while it is unknown whether the network has it.
 */
export const cloudApi: Feature = {
  name: 'cloud-api',
  weight: 2,
  async setUp(run, { random, operations }) {
    const standIn = await cloudApiStandIn({
      clock: new PatientClock({ onError: (error) => run.world.fail(error) }),
      port: false,
      url: `https://${HOST}`,
      switches: { statuses: 'manual' },
      send: (call) => work.post(call),
    });
    const work = new CloudNumber(run, random, standIn, (CONTACTS * HOUR_MS * PER_MESSAGE) / operations);
    const server = new Receiver(run, HOST, (request) => work.answer(request));
    server.secrets = undefined;
    run.deliveries.onEach(HOST, (request) => work.noteRequest(request));
    standIn.addTemplate({ name: TEMPLATE, components: [{ type: 'BODY', text: 'About {{1}}.', example: { body_text: [['books']] } }] });
    const [{ address, phoneNumberId, wabaId }] = standIn.numbers as [CloudApiStandIn['numbers'][0]];
    work.number = await createNetworkNumber(run, address);
    await run.admin('PUT', `/cloud-api/numbers/${work.number.uuid}`, { phone_number_id: phoneNumberId, waba_id: wabaId, ...SECRETS });
    if (!(await standIn.subscribe(`http://one.platform/cloud-api/webhooks/${phoneNumberId}`)))
      run.violated('the platform does not answer the challenge of the network');
    const { receiver } = await subscribe(run, work.number.uuid, 'cloud.hook.test', ['msgapp']);
    run.deliveries.onFirst(receiver.host, (first) => work.noteEvent(first));
    return work;
  },
};

class CloudNumber implements Work {
  number!: UsedNumber;
  readonly #run: Run;
  readonly #random: Random;
  readonly #standIn: CloudApiStandIn;
  readonly #pauseMs: number;
  /** By text. */
  readonly #sent = new Map<string, Sent>();
  /** By each id of the network. */
  readonly #byId = new Map<string, Sent>();
  /** The newest message to each contact of which a request was sent. */
  readonly #newest = new Map<string, string>();
  /** Messages of contacts whose call was acknowledged, and those of a caller that is not the network. */
  readonly #received = new Set<string>();
  readonly #forged = new Set<string>();
  /** By message of a contact: called with its first event. */
  readonly #told = new Map<string, () => void>();
  /** How many events a status of a message had. */
  readonly #events = new Map<string, number>();
  #accepted = 0;

  constructor(run: Run, random: Random, standIn: CloudApiStandIn, pauseMs: number) {
    this.#run = run;
    this.#random = random;
    this.#standIn = standIn;
    this.#pauseMs = pauseMs;
  }

  begin(): void {
    for (let contact = 0; contact < CONTACTS; contact++) this.#run.actor(() => this.#talk(contact));
  }

  async check(): Promise<void> {
    const counts = new Map<string, number>();
    for (const { external_id: id } of await storedMessages(this.#run, this.number.uuid)) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const id of this.#received) {
      const [stored, told] = [counts.get(id) ?? 0, this.#run.deliveries.countOf('cloud.hook.test', id)];
      if (stored !== 1 || told !== 1)
        this.#run.violated(`message ${id} of the network was acknowledged, is stored ${stored} times and has ${told} deliveries`);
    }
    for (const id of this.#forged)
      if (counts.has(id)) this.#run.violated(`message ${id} is stored, although the network has not signed it`);
    for (const sent of this.#sent.values()) if (sent.uuid !== undefined) await this.#checkSent(sent, sent.uuid);
  }

  /** A call of the platform to the network. */
  async answer({ method, url, headers, body }: Received): Promise<Answer> {
    const { standIn, run } = { standIn: this.#standIn, run: this.#run };
    const reply = await standIn.answer(new RecordedCall({ method: method as 'GET', url: url.href, headers, body } as never, new Date()));
    if (typeof reply === 'string') throw new Error(`the stand-in makes the fault '${reply}', although no rule says so`);
    for (; this.#accepted < standIn.sent.length; this.#accepted++) {
      const accepted = standIn.sent[this.#accepted]!;
      const sent = this.#sent.get(textOf(accepted.body));
      if (!sent || sent.to !== `+${accepted.contact.waId}`)
        run.violated(`the network got ${JSON.stringify(accepted.body)}, which no client has sent`);
      else this.#accept(sent, accepted.id);
    }
    return new Answer({ status: reply.status ?? 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply.body) });
  }

  /** A call of the network to the platform. Rejects when the network does not learn what became of it. */
  async post({ method, url, headers, body }: Parameters<NonNullable<Parameters<typeof cloudApiStandIn>[0]>['send'] & {}>[0]) {
    const { pathname, search } = new URL(url);
    const response = await this.#run.call({ method, path: pathname + search, headers, ...(body && { body }) });
    if (!response) throw new Error('the connection broke');
    if (method === 'POST') this.#noteResponse(JSON.parse(String(body)), response.status);
    return { status: response.status, body: String(response.body) };
  }

  noteRequest(request: Exchange): void {
    if (!request.url.endsWith('/messages') || request.body === '') return;
    const text = textOf(JSON.parse(request.body));
    const sent = this.#sent.get(text);
    if (!sent) {
      this.#run.violated(`a request to the network for '${text}', which no client has sent`);
      return;
    }
    const previous = sent.requests.at(-1);
    sent.requests.push(request);
    if (previous) {
      const fault = this.#faultOfRepeat(sent, previous, request);
      if (fault !== undefined) this.#run.violated(`'${text}' was sent to the network again ${fault}`);
      return;
    }
    const newest = this.#newest.get(sent.to) ?? '';
    if (text <= newest) this.#run.violated(`the first request for '${text}' to the network follows that of '${newest}'`);
    this.#newest.set(sent.to, text);
  }

  noteEvent({ body }: Exchange): void {
    const { messages = [], statuses = [] } = JSON.parse(body);
    for (const { id } of messages) this.#told.get(id)?.();
    for (const { id, status, timestamp } of statuses) {
      const key = `${id} ${status} ${timestamp}`;
      this.#events.set(key, (this.#events.get(key) ?? 0) + 1);
    }
  }

  /** A message is sent again only while it is unknown whether the network has it, or after an error that may pass. */
  #faultOfRepeat({ acknowledgedAt }: Sent, previous: Exchange, { from, sentAt }: Exchange): string | undefined {
    const { outcome } = previous;
    if (previous.from !== from || this.#run.wasDisturbed(previous.sentAt, sentAt)) return undefined;
    if (!outcome) return 'before the outcome of the previous request';
    if (outcome.kind === 'response' && outcome.status < 500) return `after ${outcome.status}`;
    if (outcome.kind === 'unreachable' && outcome.permanent) return `after ${outcome.code}`;
    const isDoubtful =
      outcome.kind === 'timeout' || (outcome.kind === 'response' ? [502, 504].includes(outcome.status) : outcome.code === 'ECONNRESET');
    if (!isDoubtful) return undefined;
    const waited = sentAt - previous.sentAt - outcome.elapsedMs;
    if (waited < DOUBT_MS) return `${Math.round(waited)} ms after a request of unknown outcome`;
    const isKnown = acknowledgedAt !== undefined && sentAt > acknowledgedAt + PROCESSED_MS;
    return isKnown && !this.#run.wasDisturbed(acknowledgedAt, sentAt) ? 'after a status of it was acknowledged' : undefined;
  }

  async #checkSent({ text, requests, ids, acknowledged }: Sent, uuid: string): Promise<void> {
    if (requests.length === 0) return this.#run.violated(`'${text}' was acknowledged and not sent to the network`);
    const { message } = await this.#run.admin('GET', `/messages/${uuid}`);
    const clean = requests.length === 1 && requests[0]!.outcome?.kind === 'response' && requests[0]!.outcome.status === 200;
    if (ids.length === 0 && message.status !== 'failed')
      this.#run.violated(`'${text}' is ${message.status}, and the network has not accepted it`);
    const stored = new Set(message.statuses.map(({ status, timestamp }: Report) => `${status} ${timestamp}`));
    // Of a message that the network has accepted twice, a failure of the second says nothing about the first.
    const counted = ids.length > 1 ? acknowledged.filter(({ status }) => status !== 'failed') : acknowledged;
    const lost = counted.filter(({ status, timestamp }) => !stored.has(`${status} ${timestamp}`));
    if (lost.length > 0) this.#run.violated(`'${text}' has lost its acknowledged statuses ${JSON.stringify(lost)}`);
    for (const { status, timestamp } of counted) {
      const events = this.#events.get(`${uuid} ${status} ${timestamp}`) ?? 0;
      if (events !== 1) this.#run.violated(`status ${status} of '${text}' has ${events} deliveries`);
    }
    // Of a doubtful send, the platform may have reported a failure itself.
    const expected = expectedStatus(acknowledged);
    if (clean && ids.length === 1 && expected !== undefined && message.status !== expected)
      this.#run.violated(`'${text}' is ${message.status}, but ${expected} by ${JSON.stringify(acknowledged)}`);
  }

  async #talk(slot: number): Promise<void> {
    for (let n = 0; ; n++) {
      const contact = `2789${String(slot).padStart(3, '0')}${String(Math.floor(n / PER_CONTACT)).padStart(4, '0')}`;
      const text = `${contact} ${String(n).padStart(6, '0')}`;
      await this.#run.world.sleep(this.#random.exponential(this.#pauseMs));
      if (this.#run.isOver) return;
      if (this.#random.chance(FORGED)) this.#forged.add(await this.#standIn.write(contact, 'forged', { signature: 'wrong' }));
      // The first message opens the 24 hours in which others than templates can be sent.
      if (n % PER_CONTACT === 0 || this.#random.chance(WRITTEN)) await this.#write(contact, text);
      else if (!(await this.#send(contact, text))) return;
    }
  }

  /** A contact writes. Resolves once the webhook knows it. */
  async #write(contact: string, text: string): Promise<void> {
    const id = `wamid.${Buffer.from(text).toString('hex')}`;
    const told = new Promise<void>((resolve) => this.#told.set(id, resolve));
    await this.#standIn.write(contact, text, { id });
    await told;
    if (!this.#random.chance(TWICE)) return;
    const call = this.#standIn.webhooks.findLast(({ bytes }) => bytes.includes(id));
    if (call) await this.#standIn.resend(call);
  }

  async #send(contact: string, text: string): Promise<boolean> {
    const sent: Sent = { text, to: `+${contact}`, requests: [], ids: [], acknowledged: [] };
    this.#sent.set(text, sent);
    const parameters = [{ type: 'text', text }];
    const template = { name: TEMPLATE, language: { code: 'en_US' }, components: [{ type: 'body', parameters }] };
    const content = this.#random.chance(TEMPLATES) ? { type: 'template', template } : { type: 'text', text: { body: text } };
    const headers = { 'idempotency-key': text.replace(' ', '-') };
    const { token } = this.number;
    const response = await this.#run.once({ method: 'POST', path: '/v1/messages', token, headers, body: { to: sent.to, ...content } });
    if (!response) return false;
    sent.uuid = response.body.messages?.[0]?.id;
    if (sent.uuid === undefined) this.#run.violated(`'${text}' got ${response.status}: ${JSON.stringify(response.body)}`);
    return true;
  }

  /** The network has accepted a message, and reports its statuses. */
  #accept(sent: Sent, id: string): void {
    sent.ids.push(id);
    this.#byId.set(id, sent);
    this.#run.actor(async () => {
      for (const { status, timestamp } of reportsOf(this.#random, this.#run.world.now)) {
        await this.#run.world.sleep(this.#random.exponential(8_000));
        await this.#standIn.status(id, status, { at: new Date(Number(timestamp) * 1_000) });
      }
    });
  }

  #noteResponse({ entry }: WebhookBody, code: number): void {
    for (const { value } of entry.flatMap(({ changes }) => changes)) {
      for (const { id, text } of value.messages ?? []) {
        if (text.body === 'forged') {
          if (code === 200) this.#run.violated(`message ${id} was acknowledged, although the network has not signed it`);
        } else if (code === 200) this.#received.add(id);
      }
      for (const { id, status, timestamp } of code === 200 ? (value.statuses ?? []) : []) {
        const sent = this.#byId.get(id)!;
        sent.acknowledgedAt ??= this.#run.world.now;
        if (!sent.acknowledged.some((one) => one.status === status && one.timestamp === timestamp))
          sent.acknowledged.push({ status, timestamp });
      }
    }
  }
}

/** The parts of a call of the network that are looked at. */
interface WebhookBody {
  readonly entry: readonly {
    readonly changes: readonly {
      readonly value: {
        readonly messages?: readonly { readonly id: string; readonly text: { readonly body: string } }[];
        readonly statuses?: readonly ({ readonly id: string } & Report)[];
      };
    }[];
  }[];
}

interface SentBody {
  readonly text?: { readonly body: string };
  readonly template?: { readonly components: readonly { readonly parameters: readonly { readonly text: string }[] }[] };
}

const textOf = ({ text, template }: SentBody): string => text?.body ?? template?.components[0]?.parameters[0]?.text ?? '';
