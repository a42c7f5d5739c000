import type { Exchange } from '../network.js';
import type { Random } from '../random.js';
import { Receiver } from '../receiver.js';
import { type Feature, HOUR_MS, type Run, type Work } from '../run.js';
import { createChannel, storedMessages, subscribe, type UsedNumber } from '../set-up.js';

/** Contacts of each number that write at the same time. */
const WRITERS = 6;
/** Messages of a contact, before another one takes its place. */
const PER_CONTACT = 40;
/** The share of messages that follow the previous one of the contact immediately. */
const AT_ONCE = 0.4;
/** The share of messages that a connector posts a second time. */
const TWICE = 0.05;
/** The share of messages after which another contact uses the id. */
const TAKEN = 0.02;

/**
 * Contacts write on two channels, one message after the other. Webhooks of each get each message once, in that order, and none of the other channel.
 * Contacts and messages have the same ids on both.
 */
export const conversations: Feature = {
  name: 'conversations',
  weight: 3,
  clusters: 'all',
  async setUp(run, { random, operations }) {
    const pauseMs = (2 * WRITERS * HOUR_MS) / operations;
    const shops: Shop[] = [];
    for (const [name, hooks] of [
      ['shop', ['first', 'second']],
      ['cafe', ['third']],
    ] as const) {
      const connector = new Receiver(run, `connector.${name}.test`, () => ({ messages: [{ id: 'never' }] }));
      const shop = new Shop(run, random, name, await createChannel(run, `web:${name}`, connector), pauseMs);
      for (const hook of hooks) await shop.subscribe(`${hook}.hook.test`);
      shops.push(shop);
    }
    return {
      begin: () => {
        for (const shop of shops) shop.begin();
      },
      check: async () => {
        for (const shop of shops) await shop.check();
      },
    };
  },
};

interface Message {
  readonly from: string;
  readonly id: string;
  readonly text: { readonly body: string };
}

/** One channel, its contacts and its webhooks. */
class Shop implements Work {
  readonly #run: Run;
  readonly #random: Random;
  readonly #name: string;
  readonly #number: UsedNumber;
  readonly #pauseMs: number;
  /** When each message was acknowledged, by its id: true times. */
  readonly #acknowledged = new Map<string, number>();
  readonly #hosts: string[] = [];
  /** By host and contact: the newest message of which a request was sent. */
  readonly #newest = new Map<string, number>();

  constructor(run: Run, random: Random, name: string, number: UsedNumber, pauseMs: number) {
    this.#run = run;
    this.#random = random.stream(name);
    this.#name = name;
    this.#number = number;
    this.#pauseMs = pauseMs;
  }

  async subscribe(host: string): Promise<void> {
    await subscribe(this.#run, this.#number.uuid, host, ['msgapp']);
    this.#run.deliveries.onFirst(host, (first) => this.#checkFirst(host, first));
    this.#hosts.push(host);
  }

  begin(): void {
    for (let writer = 0; writer < WRITERS; writer++) this.#run.actor(() => this.#write(writer));
  }

  async check(): Promise<void> {
    const stored = await this.#stored();
    for (const [id, at] of this.#acknowledged) {
      const count = stored.get(id) ?? 0;
      if (count === 0 && this.#run.isReportedLost(id, at)) continue;
      if (count !== 1) this.#violated(`message ${id} was acknowledged and is stored ${count} times`);
      for (const host of this.#hosts) {
        const deliveries = this.#run.deliveries.countOf(host, id);
        // Another delivery follows if the database has lost a message before its sender knew that it was accepted.
        if (deliveries !== 1 && !(deliveries > 1 && this.#run.mayHaveLost(at)))
          this.#violated(`message ${id} was acknowledged and has ${deliveries} deliveries to ${host}`);
      }
    }
  }

  #violated(what: string): void {
    this.#run.violated(`${this.#name}: ${what}`);
  }

  async #write(writer: number): Promise<void> {
    const { world } = this.#run;
    for (let i = 0; ; i++) {
      const contact = `+2782${String(writer).padStart(3, '0')}${String(Math.floor(i / PER_CONTACT)).padStart(4, '0')}`;
      const id = `${contact}:${i % PER_CONTACT}`;
      if (!this.#random.chance(AT_ONCE)) await world.sleep(this.#random.exponential(this.#pauseMs));
      if (this.#run.isOver) return;
      const response = await this.#post(contact, id, this.#textOf(id));
      if (!response) return;
      if (response.status === 200) this.#acknowledged.set(id, world.now);
      else this.#violated(`message ${id} got ${response.status}: ${JSON.stringify(response.body)}`);
      if (this.#random.chance(TWICE)) await this.#postTwice(contact, id);
      if (this.#random.chance(TAKEN)) await this.#postTaken(contact, id);
    }
  }

  async #postTwice(contact: string, id: string): Promise<void> {
    const response = await this.#post(contact, id, this.#textOf(id));
    if (response && response.status !== 200) this.#violated(`message ${id} got ${response.status} when it came again`);
  }

  async #postTaken(contact: string, id: string): Promise<void> {
    const at = this.#run.world.now;
    const response = await this.#post(`${contact}9`, id, 'of another contact');
    // The id is free again if the database has lost the message.
    if (response && !this.#run.mayHaveLost(at) && (response.status !== 400 || !response.body.errors?.message?.id))
      this.#violated(`message ${id} of another contact got ${response.status}: ${JSON.stringify(response.body)}`);
  }

  #post(contact: string, id: string, text: string) {
    const timestamp = String(1_767_600_000 + Math.floor(this.#run.world.now / 1_000));
    const message = { type: 'text', from: contact, id, timestamp, text: { body: text } };
    const body = { contact: { id: contact, profile: { name: `Contact ${contact}` } }, message };
    const { uuid, token } = this.#number;
    return this.#run.decided({ method: 'POST', path: `/v1/numbers/${uuid}/messages`, token, body });
  }

  /** Tells the messages of the two channels apart. */
  #textOf = (id: string): string => `${this.#name} ${id}`;

  #checkFirst(host: string, { body }: Exchange): void {
    const { messages } = JSON.parse(body) as { messages: Message[] };
    for (const { id, from, text } of messages) {
      if (text.body !== this.#textOf(id)) this.#violated(`${host} got message ${id} with the text '${text.body}'`);
      const key = `${host} ${from}`;
      const n = Number(id.split(':')[1]);
      const newest = this.#newest.get(key) ?? -1;
      if (n <= newest) this.#violated(`the first request to ${host} for message ${id} follows that of message ${newest}`);
      this.#newest.set(key, Math.max(newest, n));
    }
  }

  /** How often each message is stored. */
  async #stored(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { external_id: id, content } of await storedMessages(this.#run, this.#number.uuid)) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      const text = content?.text?.body;
      if (text !== this.#textOf(id)) this.#violated(`message ${id} is stored with the text '${text}'`);
    }
    return counts;
  }
}
