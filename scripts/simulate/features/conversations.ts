import { Receiver } from '../receiver.js';
import type { Feature, Run, Work } from '../run.js';

/** Contacts that write at the same time. */
const WRITERS = 12;
/** Messages of a contact, before another one takes its place. */
const PER_CONTACT = 40;
const MEAN_PAUSE_MS = 18_000;

interface Sent {
  readonly id: string;
  readonly contact: string;
  /** Its place in the conversation. */
  readonly n: number;
}

/** Contacts write on a channel, one message after the other; webhooks get each message in that order. */
export const conversations: Feature = {
  name: 'conversations',
  async setUp(run) {
    const connector = new Receiver(run, 'connector.test', () => ({ messages: [{ id: 'never' }] }));
    const body = { from_addr: 'web:shop', name: 'Shop', endpoint: connector.url };
    const { number, webhook } = await run.admin('POST', '/channels', body);
    connector.secrets.add(webhook.hmac_secret);
    const { text: token } = await run.admin('POST', `/numbers/${number.uuid}/tokens`, { name: 'connector' });
    const work = new Conversations(run, number.uuid, token);
    for (const name of ['first', 'second']) await work.subscribe(`${name}.hook.test`);
    return work;
  },
};

class Conversations implements Work {
  readonly #run: Run;
  readonly #number: string;
  readonly #token: string;
  readonly #acknowledged: Sent[] = [];
  readonly #hosts: string[] = [];
  /** By host and contact: the newest message of which a request has arrived. */
  readonly #newest = new Map<string, number>();
  readonly #seen = new Set<string>();

  constructor(run: Run, number: string, token: string) {
    this.#run = run;
    this.#number = number;
    this.#token = token;
  }

  async subscribe(host: string): Promise<void> {
    const receiver = new Receiver(this.#run, host, ({ body }) => this.#received(host, body));
    const about = { number: this.#number, url: receiver.url, name: host, subscriptions: ['msgapp'] };
    const { hmac_secret } = await this.#run.admin('POST', '/webhooks', about);
    receiver.secrets.add(hmac_secret);
    this.#hosts.push(host);
  }

  begin(): void {
    for (let writer = 0; writer < WRITERS; writer++) this.#run.actor(() => this.#write(writer));
  }

  async check(): Promise<void> {
    const stored = await this.#stored();
    for (const { id } of this.#acknowledged) {
      const count = stored.get(id) ?? 0;
      if (count === 0 && this.#run.isReportedLost(id)) continue;
      if (count !== 1) this.#run.violated(`message ${id} was acknowledged and is stored ${count} times`);
      for (const host of this.#hosts) {
        const ending = this.#run.deliveries.endingOf(host, id);
        if (ending === 'open') this.#run.violated(`message ${id} was acknowledged and not delivered to ${host}`);
      }
    }
  }

  async #write(writer: number): Promise<void> {
    const { random, world } = this.#run;
    for (let i = 0; ; i++) {
      const contact = `+2782${String(writer).padStart(3, '0')}${String(Math.floor(i / PER_CONTACT)).padStart(4, '0')}`;
      const n = i % PER_CONTACT;
      await world.sleep(random.exponential(MEAN_PAUSE_MS));
      if (this.#run.isOver) return;
      const id = `${contact}:${n}`;
      const timestamp = String(1_767_600_000 + Math.floor(world.now / 1_000));
      const message = { type: 'text', from: contact, id, timestamp, text: { body: `message ${n}` } };
      const body = { contact: { id: contact, profile: { name: `Contact ${writer}` } }, message };
      const response = await this.#run.decided({ method: 'POST', path: `/v1/numbers/${this.#number}/messages`, token: this.#token, body });
      if (!response) return;
      if (response.status === 200) this.#acknowledged.push({ id, contact, n });
      else this.#run.violated(`message ${id} got ${response.status}: ${JSON.stringify(response.body)}`);
    }
  }

  #received(host: string, text: string): void {
    const { messages } = JSON.parse(text) as { messages: { id: string; from: string }[] };
    for (const { id } of messages) {
      if (this.#seen.has(`${host} ${id}`)) continue;
      this.#seen.add(`${host} ${id}`);
      const [contact, n] = id.split(':') as [string, string];
      const key = `${host} ${contact}`;
      this.#newest.set(key, Math.max(this.#newest.get(key) ?? -1, Number(n)));
    }
  }

  /** How often each message is stored. */
  async #stored(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    const contacts = new Set(this.#acknowledged.map(({ contact }) => contact));
    for (let before: string | undefined; ; ) {
      const query = `number=${this.#number}&limit=500${before === undefined ? '' : `&before=${before}`}`;
      const { conversations } = await this.#run.admin('GET', `/conversations?${query}`);
      for (const { conversation } of conversations) {
        const { messages } = await this.#run.admin('GET', `/conversations/${conversation.uuid}?limit=500`);
        for (const { external_id: id } of messages) counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      if (conversations.length < 500) break;
      before = conversations.at(-1).conversation.updated_at;
    }
    if (contacts.size > 0 && counts.size === 0) this.#run.violated('no conversation is stored');
    return counts;
  }
}
