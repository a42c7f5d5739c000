import type { Exchange } from '../network.js';
import type { Random } from '../random.js';
import { type Feature, HOUR_MS, type Run, type Work } from '../run.js';
import { createNetworkNumber, subscribe, type UsedNumber } from '../set-up.js';

/** The share of messages that follow the previous one to the contact at once. */
const AT_ONCE = 0.2;
const CONTACTS = 6;
/** The share of messages that the contact reads. */
const READ = 0.2;

interface Sent {
  readonly id: string;
  /** The id of the contact's reading, if it was acknowledged. */
  isRead: boolean;
}

/**
 * A client sends messages from a number of the network, which the platform simulates. The webhook with `svc` gets each once and in order, with the id of
 * the network; the one with `msgapp` gets each status once.
 */
export const network: Feature = {
  name: 'network',
  weight: 2,
  async setUp(run, { random, operations }) {
    const number = await createNetworkNumber(run, '+27600000001');
    const work = new NetworkNumber(run, random, number, (CONTACTS * HOUR_MS * (1 + READ)) / operations);
    const sent = await subscribe(run, number.uuid, 'sent.hook.test', ['svc']);
    const events = await subscribe(run, number.uuid, 'events.hook.test', ['msgapp']);
    run.deliveries.onFirst(sent.receiver.host, (first) => work.noteSent(first));
    run.deliveries.onFirst(events.receiver.host, (first) => work.noteEvent(first));
    return work;
  },
};

class NetworkNumber implements Work {
  readonly #run: Run;
  readonly #random: Random;
  readonly #number: UsedNumber;
  readonly #pauseMs: number;
  readonly #sent: Sent[] = [];
  /** How many events of webhooks were about an id, by what they said. */
  readonly #counts = new Map<string, number>();
  /** The newest message to each contact of which a request was sent. */
  readonly #newest = new Map<string, number>();

  constructor(run: Run, random: Random, number: UsedNumber, pauseMs: number) {
    this.#run = run;
    this.#random = random;
    this.#number = number;
    this.#pauseMs = pauseMs;
  }

  begin(): void {
    for (let contact = 0; contact < CONTACTS; contact++) this.#run.actor(() => this.#send(contact));
  }

  async check(): Promise<void> {
    for (const { id, isRead } of this.#sent)
      for (const what of ['svc', 'sent', 'delivered', ...(isRead ? ['read'] : [])]) {
        const count = this.#counts.get(`${what} ${id}`) ?? 0;
        if (count !== 1) this.#run.violated(`message ${id} of the network has ${count} deliveries of '${what}'`);
      }
  }

  noteSent({ headers, body }: Exchange): void {
    const { id, to, text } = JSON.parse(body);
    if (headers['x-msgapp-id'] !== id) this.#run.violated(`the event of message ${id} has the id ${headers['x-msgapp-id']} in its header`);
    const n = Number(text.body);
    const newest = this.#newest.get(to) ?? -1;
    if (n <= newest) this.#run.violated(`the first request for message ${n} to ${to} follows that of message ${newest}`);
    this.#newest.set(to, Math.max(n, newest));
    this.#count(`svc ${id}`);
  }

  noteEvent({ body }: Exchange): void {
    for (const { id, status } of JSON.parse(body).statuses ?? []) this.#count(`${status} ${id}`);
  }

  #count(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  async #send(contact: number): Promise<void> {
    const to = `+27860000${String(contact).padStart(3, '0')}`;
    const { token } = this.#number;
    for (let n = 0; ; n++) {
      if (!this.#random.chance(AT_ONCE)) await this.#run.world.sleep(this.#random.exponential(this.#pauseMs));
      if (this.#run.isOver) return;
      const headers = { 'idempotency-key': `network-${contact}-${n}` };
      const body = { to, type: 'text', text: { body: String(n) } };
      const response = await this.#run.once({ method: 'POST', path: '/v1/messages', token, headers, body });
      if (!response) return;
      const id = response.body.messages?.[0]?.id;
      if (response.status >= 300 || id === undefined) {
        this.#run.violated(`message ${n} to ${to} got ${response.status}: ${JSON.stringify(response.body)}`);
        continue;
      }
      const sent: Sent = { id, isRead: false };
      this.#sent.push(sent);
      if (this.#random.chance(READ)) await this.#read(sent);
    }
  }

  /** The contact reads a message. The same report a second time changes nothing. */
  async #read(sent: Sent): Promise<void> {
    const timestamp = String(1_767_700_000);
    await this.#run.world.sleep(this.#random.between(2_000, 20_000));
    await this.#run.admin('POST', `/network/messages/${sent.id}/statuses`, { statuses: [{ status: 'read', timestamp }] });
    sent.isRead = true;
  }
}
