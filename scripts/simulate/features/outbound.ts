import { Crowd } from '../crowd.js';
import type { Exchange, Received } from '../network.js';
import { Receiver } from '../receiver.js';
import type { Feature, Run } from '../run.js';
import { createChannel, subscribe } from '../set-up.js';
import { expectedStatus, type Report, reportsOf } from '../statuses.js';

const CONTACTS = 8;
/** Operations for a message, with the reports of its statuses and a look at it. */
const PER_MESSAGE = 4.5;
/** The share of messages whose first status is reported before the connector responds. */
const EARLY = 0.2;
const LOOKED_AT = 0.1;

/** A message that was sent through the channel. */
interface Sent {
  readonly text: string;
  readonly contact: string;
  /** Its id in the response of the call. */
  uuid?: string;
  /** The delivery to the connector, and the connector's id. */
  delivery?: string;
  id?: string;
  readonly acknowledged: Report[];
  refused: boolean;
}

/**
 * A client sends messages through a channel. The connector gets each once and in order, and reports statuses in any order: late, repeated, and before its
 * response. The platform knows the status that the reports make, and tells it to a webhook.
 */
export const outbound: Feature = {
  name: 'outbound',
  weight: 3,
  async setUp(run, share) {
    const work = new Outbound(run, share, CONTACTS, PER_MESSAGE);
    const connector = new Receiver(run, 'connector.desk.test', (request) => work.deliver(request));
    work.number = await createChannel(run, 'web:desk', connector);
    const { receiver } = await subscribe(run, work.number.uuid, 'statuses.hook.test', ['msgapp']);
    run.deliveries.onFirst(connector.host, (first) => work.checkFirst(first));
    run.deliveries.onFirst(receiver.host, (first) => work.noteEvent(first));
    return work;
  },
};

class Outbound extends Crowd {
  readonly #sent = new Map<string, Sent>();
  readonly #byDelivery = new Map<string, Sent>();
  /** The newest message of each contact of which a request was sent. */
  readonly #newest = new Map<string, number>();
  /** How many events a status of a message had. */
  readonly #events = new Map<string, number>();

  async check(): Promise<void> {
    for (const sent of this.#sent.values()) {
      const { text, uuid, delivery, id, acknowledged, refused } = sent;
      if (uuid === undefined) continue;
      if (delivery === undefined) this.run.violated(`message '${text}' was acknowledged and not sent to the connector`);
      if (delivery === undefined || id === undefined || !this.run.deliveries.isDelivered(delivery)) continue;
      if (refused) this.run.violated(`a status of message '${text}' was refused, although its delivery ${delivery} succeeded`);
      await this.#look(sent);
      for (const { status, timestamp } of acknowledged) {
        const events = this.#events.get(`${id} ${status} ${timestamp}`) ?? 0;
        if (events !== 1) this.run.violated(`status ${status} of '${text}' has ${events} deliveries`);
      }
    }
  }

  /** A request to the connector: it responds with its id of the message, the same when the delivery comes again. */
  async deliver({ headers, body }: Received): Promise<object> {
    const delivery = headers['x-svc-hook-delivery']!;
    const { to, turn } = JSON.parse(body);
    const sent = this.#sent.get(turn.text.body);
    if (!sent || sent.contact !== to) {
      this.run.violated(`the connector got '${turn.text.body}' for ${to}, which no client has sent`);
      return {};
    }
    if (sent.id === undefined) {
      sent.id = `out-${sent.text.replace(' ', '-')}`;
      const [first, ...others] = reportsOf(this.random, this.run.world.now);
      const isEarly = this.random.chance(EARLY);
      if (isEarly) await this.#report(sent, first!, (call) => this.run.call(call));
      this.run.actor(async () => {
        for (const report of [first!, ...others]) {
          await this.run.world.sleep(this.random.exponential(8_000));
          await this.#report(sent, report, (call) => this.run.decided(call));
          if (this.random.chance(LOOKED_AT)) await this.#look(sent);
        }
      });
    }
    this.#byDelivery.set(delivery, sent);
    return { messages: [{ id: sent.id }] };
  }

  checkFirst({ headers, body }: Exchange): void {
    const delivery = headers['x-svc-hook-delivery']!;
    const text: string = JSON.parse(body).turn.text.body;
    const sent = this.#sent.get(text);
    if (!sent) {
      this.run.violated(`a request for the message '${text}', which no client has sent`);
      return;
    }
    if (sent.delivery !== undefined) this.run.violated(`message '${text}' has the deliveries ${sent.delivery} and ${delivery}`);
    sent.delivery = delivery;
    const n = Number(text.split(' ')[1]);
    const newest = this.#newest.get(sent.contact) ?? -1;
    if (n <= newest) this.run.violated(`the first request for '${text}' follows that of message ${newest}`);
    this.#newest.set(sent.contact, Math.max(n, newest));
  }

  noteEvent({ body }: Exchange): void {
    for (const { id, status, timestamp } of JSON.parse(body).statuses ?? []) {
      const key = `${id} ${status} ${timestamp}`;
      this.#events.set(key, (this.#events.get(key) ?? 0) + 1);
    }
  }

  protected async act(contact: number, n: number): Promise<void> {
    const { token } = this.number;
    const to = `+27830000${String(contact).padStart(3, '0')}`;
    const sent: Sent = { text: `${contact} ${n}`, contact: to, acknowledged: [], refused: false };
    this.#sent.set(sent.text, sent);
    const body = { to, type: 'text', text: { body: sent.text } };
    const headers = { 'idempotency-key': `desk-${contact}-${n}` };
    const response = await this.run.once({ method: 'POST', path: '/v1/messages', token, headers, body });
    if (!response) return;
    sent.uuid = response.body.messages?.[0]?.id;
    if (response.status >= 300 || sent.uuid === undefined)
      this.run.violated(`message '${sent.text}' got ${response.status}: ${JSON.stringify(response.body)}`);
  }

  async #report(sent: Sent, report: Report, make: (call: Parameters<Run['call']>[0]) => ReturnType<Run['call']>): Promise<void> {
    const { uuid, token } = this.number;
    const body = { status: { id: sent.id, recipient_id: sent.contact, ...report } };
    const response = await make({ method: 'POST', path: `/v1/numbers/${uuid}/statuses`, token, body });
    if (!response || response.status >= 500) return;
    const { acknowledged } = sent;
    if (response.status !== 200) sent.refused = true;
    else if (!acknowledged.some(({ status, timestamp }) => status === report.status && timestamp === report.timestamp))
      acknowledged.push(report);
  }

  /** Compares the message with the reports that were acknowledged. */
  async #look({ uuid, id, text, acknowledged }: Sent): Promise<void> {
    if (uuid === undefined) return;
    const { message } = await this.run.admin('GET', `/messages/${uuid}`);
    if (message.external_id === undefined) return;
    if (message.external_id !== id) this.run.violated(`message '${text}' has the id ${message.external_id}, the connector's is ${id}`);
    const stored = new Set(message.statuses.map(({ status, timestamp }: Report) => `${status} ${timestamp}`));
    const lost = acknowledged.filter(({ status, timestamp }) => !stored.has(`${status} ${timestamp}`));
    if (lost.length > 0) this.run.violated(`message '${text}' has lost its acknowledged statuses ${JSON.stringify(lost)}`);
    const expected = expectedStatus(acknowledged);
    if (message.status !== expected)
      this.run.violated(`message '${text}' is ${message.status}, but ${expected} by ${JSON.stringify(acknowledged)}`);
  }
}
