import { Crowd } from '../crowd.js';
import type { Exchange } from '../network.js';
import type { Feature } from '../run.js';
import { createNetworkNumber, subscribe } from '../set-up.js';

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
  async setUp(run, share) {
    const work = new NetworkNumber(run, share, CONTACTS, 1 + READ);
    work.number = await createNetworkNumber(run, '+27600000001');
    const sent = await subscribe(run, work.number.uuid, 'sent.hook.test', ['svc']);
    const events = await subscribe(run, work.number.uuid, 'events.hook.test', ['msgapp']);
    run.deliveries.onFirst(sent.receiver.host, (first) => work.noteSent(first));
    run.deliveries.onFirst(events.receiver.host, (first) => work.noteEvent(first));
    return work;
  },
};

class NetworkNumber extends Crowd {
  readonly #sent: Sent[] = [];
  /** How many events of webhooks were about an id, by what they said. */
  readonly #counts = new Map<string, number>();
  /** The newest message to each contact of which a request was sent. */
  readonly #newest = new Map<string, number>();

  async check(): Promise<void> {
    for (const { id, isRead } of this.#sent)
      for (const what of ['svc', 'sent', 'delivered', ...(isRead ? ['read'] : [])]) {
        const count = this.#counts.get(`${what} ${id}`) ?? 0;
        if (count !== 1) this.run.violated(`message ${id} of the network has ${count} deliveries of '${what}'`);
      }
  }

  noteSent({ headers, body }: Exchange): void {
    const { id, to, text } = JSON.parse(body);
    if (headers['x-msgapp-id'] !== id) this.run.violated(`the event of message ${id} has the id ${headers['x-msgapp-id']} in its header`);
    const n = Number(text.body);
    const newest = this.#newest.get(to) ?? -1;
    if (n <= newest) this.run.violated(`the first request for message ${n} to ${to} follows that of message ${newest}`);
    this.#newest.set(to, Math.max(n, newest));
    this.#count(`svc ${id}`);
  }

  noteEvent({ body }: Exchange): void {
    for (const { id, status } of JSON.parse(body).statuses ?? []) this.#count(`${status} ${id}`);
  }

  #count(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  protected async act(contact: number, n: number): Promise<void> {
    const to = `+27860000${String(contact).padStart(3, '0')}`;
    const { token } = this.number;
    const headers = { 'idempotency-key': `network-${contact}-${n}` };
    const body = { to, type: 'text', text: { body: String(n) } };
    const response = await this.run.once({ method: 'POST', path: '/v1/messages', token, headers, body });
    if (!response) return;
    const id = response.body.messages?.[0]?.id;
    if (response.status >= 300 || id === undefined)
      return this.run.violated(`message ${n} to ${to} got ${response.status}: ${JSON.stringify(response.body)}`);
    const sent: Sent = { id, isRead: false };
    this.#sent.push(sent);
    if (this.random.chance(READ)) await this.#read(sent);
  }

  /** The contact reads a message. The same report a second time changes nothing. */
  async #read(sent: Sent): Promise<void> {
    const timestamp = String(1_767_700_000);
    await this.run.world.sleep(this.random.between(2_000, 20_000));
    await this.run.admin('POST', `/network/messages/${sent.id}/statuses`, { statuses: [{ status: 'read', timestamp }] });
    sent.isRead = true;
  }
}
