import { ADMIN_KEY } from '../machine.js';
import type { Random } from '../random.js';
import { Receiver } from '../receiver.js';
import { type Feature, HOUR_MS, type Run, type Work } from '../run.js';
import { createChannel, storedConversations, subscribe, type UsedNumber } from '../set-up.js';

const PEOPLE = 6;
const HOST = 'people.hook.test';
/** The share of the operations that are merges and splits. */
const MERGES = 0.2;
const sides = ['main', 'other'] as const;

/** A person who writes under two ids. */
interface Person {
  readonly ids: Readonly<Record<(typeof sides)[number], string>>;
  /** The uuids of the contacts with these ids, before the first merge. */
  uuids: Readonly<Record<(typeof sides)[number], string>> | undefined;
  isMerged: boolean;
  /** By its id: under which side it was sent. */
  readonly messages: Map<string, (typeof sides)[number]>;
}

/** People write under two ids, while operators merge the two contacts, and undo it. Each message is in one conversation, that of its id. */
export const people: Feature = {
  name: 'people',
  weight: 0.7,
  async setUp(run, { random, operations }) {
    const connector = new Receiver(run, 'connector.people.test', () => ({ messages: [{ id: 'never' }] }));
    const number = await createChannel(run, 'web:people', connector);
    await subscribe(run, number.uuid, HOST, ['msgapp']);
    return new People(run, random, number, operations);
  },
};

class People implements Work {
  readonly #run: Run;
  readonly #random: Random;
  readonly #number: UsedNumber;
  readonly #operations: number;
  readonly #people: readonly Person[];

  constructor(run: Run, random: Random, number: UsedNumber, operations: number) {
    this.#run = run;
    this.#random = random;
    this.#number = number;
    this.#operations = operations;
    this.#people = Array.from({ length: PEOPLE }, (_, i) => ({
      ids: { main: `person-${i}`, other: `+2789000000${i}` },
      uuids: undefined,
      isMerged: false,
      messages: new Map(),
    }));
  }

  begin(): void {
    const writing = (PEOPLE * HOUR_MS) / (this.#operations * (1 - MERGES));
    for (const person of this.#people) this.#run.actor(() => this.#write(person, writing));
    this.#run.actor(() => this.#operate(HOUR_MS / (this.#operations * MERGES)));
  }

  async check(): Promise<void> {
    const conversations = await storedConversations(this.#run, this.#number.uuid);
    for (const person of this.#people) {
      const { ids, isMerged, messages } = person;
      const uuids = { main: await this.#contact(ids.main), other: await this.#contact(ids.other) };
      if (uuids.main === undefined || uuids.other === undefined) continue;
      if ((uuids.main === uuids.other) !== isMerged) this.#run.violated(`${ids.main} and ${ids.other} are ${isMerged ? 'two' : 'one'}`);
      for (const [id, side] of messages) {
        const where = [...conversations]
          .filter(([, stored]) => stored.some(({ external_id }) => external_id === id))
          .map(([contact]) => contact);
        if (where.join() !== uuids[side])
          this.#run.violated(`message ${id} of ${ids[side]} is stored for ${where.join(', ') || 'no contact'}`);
        const deliveries = this.#run.deliveries.countOf(HOST, id);
        if (deliveries !== 1) this.#run.violated(`message ${id} was acknowledged and has ${deliveries} deliveries`);
      }
    }
  }

  async #write(person: Person, pauseMs: number): Promise<void> {
    for (let n = 0; ; n++) {
      await this.#run.world.sleep(this.#random.exponential(pauseMs));
      if (this.#run.isOver) return;
      const side = this.#random.pick(sides);
      const from = person.ids[side];
      const id = `${person.ids.main}:${n}`;
      const message = { type: 'text', from, id, timestamp: '1767600000', text: { body: id } };
      const { uuid, token } = this.#number;
      const body = { contact: { id: from, profile: { name: from } }, message };
      const response = await this.#run.decided({ method: 'POST', path: `/v1/numbers/${uuid}/messages`, token, body });
      if (response?.status === 200) person.messages.set(id, side);
      else if (response) this.#run.violated(`message ${id} got ${response.status}: ${JSON.stringify(response.body)}`);
    }
  }

  async #operate(pauseMs: number): Promise<void> {
    for (;;) {
      await this.#run.world.sleep(this.#random.exponential(pauseMs));
      if (this.#run.isOver) return;
      const person = this.#random.pick(this.#people);
      const [main, other] = [await this.#contact(person.ids.main), await this.#contact(person.ids.other)];
      if (main === undefined || other === undefined) continue;
      person.uuids ??= { main, other };
      const { uuids, isMerged } = person;
      const call = isMerged
        ? { path: '/admin/v1/contacts/split', body: { contact: uuids.other } }
        : { path: '/admin/v1/contacts/merge', body: { contact: uuids.other, into: uuids.main } };
      for (let isUncertain = false; ; isUncertain = true) {
        const response = await this.#run.call({ method: 'POST', token: ADMIN_KEY, isOnce: true, ...call });
        if (!response || response.status >= 500) {
          await this.#run.world.sleep(1_000);
          continue;
        }
        // One that is repeated may find that it has happened.
        if (response.status !== 200 && !isUncertain)
          this.#run.violated(`${call.path} got ${response.status}: ${JSON.stringify(response.body)}`);
        person.isMerged = !isMerged;
        break;
      }
    }
  }

  /** The uuid of the contact with an id. */
  async #contact(id: string): Promise<string | undefined> {
    const { contacts } = await this.#run.admin('GET', `/numbers/${this.#number.uuid}/contacts?id=${encodeURIComponent(id)}`);
    return contacts[0]?.uuid;
  }
}
