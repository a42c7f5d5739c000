import type { Random } from '../random.js';
import { Receiver } from '../receiver.js';
import { type Feature, HOUR_MS, type Run, type Work } from '../run.js';
import { createChannel, storedMessages, subscribe, type UsedNumber } from '../set-up.js';

const KEPT = 300;
/** Evictions begin 5 % above a limit, so that not every delivery costs one (core/memory/history.ts). */
const SLACK = 1.05;
/** Deliveries that settle at almost the same time may be evicted in any order. */
const TOGETHER_MS = 10_000;

/** The platform keeps few settled deliveries: the newest ones. Those that have not settled are never evicted, which the other features notice. */
export const retention: Feature = {
  name: 'retention',
  weight: 0.01,
  // Each shard of a cluster keeps deliveries of its own, and its metrics have a label.
  clusters: 'none',
  options: { deliveries: { kept: KEPT } },
  setUp: async (run) => ({
    begin: () => undefined,
    check: async () => {
      const state = await run.machines[0]!.perform((platform) => platform.readState());
      const kept = new Set((state?.collections['core.settled-deliveries'] ?? []).map(({ uuid }) => String(uuid)));
      const ends = run.deliveries.ends();
      if (kept.size > KEPT * SLACK + 1 || kept.size < Math.min(KEPT, ends.size))
        run.violated(`the platform keeps ${kept.size} of ${ends.size} settled deliveries, not ${KEPT}`);
      // The platform's clock decides which one is the oldest.
      if (run.scenario.faults.length > 0) return;
      const [endsOfKept, endsOfEvicted] = [true, false].map((isKept) =>
        [...ends].filter(([delivery]) => kept.has(delivery) === isKept).map(([, end]) => end),
      );
      const [oldest, newest] = [Math.min(...endsOfKept!), Math.max(0, ...endsOfEvicted!)];
      if (newest > oldest + TOGETHER_MS) run.violated(`a delivery was evicted that settled ${newest - oldest} ms after one that is kept`);
    },
  }),
};

/** The least that messages can be kept. */
const KEPT_DAYS = 7;
const DAY_MS = 24 * HOUR_MS;
/** Expired messages are deleted each hour. */
const DELETED_WITHIN_MS = 1.2 * HOUR_MS;
const WRITERS = 4;
const CONTACTS = 3;
const LONG = 0.1;

/** Messages of one number expire after a week, with their deliveries. Another number with the same limit is on hold, and a third has none. */
export const expiry: Feature = {
  name: 'expiry',
  weight: 0.5,
  // A fail-over may lose a hold.
  clusters: 'none',
  async setUp(run, { random, operations }) {
    const channel = async (name: string) =>
      createChannel(run, `web:${name}`, new Receiver(run, `connector.${name}.test`, () => ({ messages: [{ id: 'never' }] })));
    const [expiring, held, kept] = [await channel('expiring'), await channel('held'), await channel('unlimited')];
    await run.admin('PATCH', `/numbers/${expiring.uuid}`, { kept_days: KEPT_DAYS });
    await run.admin('PATCH', `/numbers/${held.uuid}`, { kept_days: KEPT_DAYS, account: 'clinic' });
    await run.admin('PATCH', '/accounts', { account: 'clinic', hold: { reason: 'case 12' } });
    await subscribe(run, expiring.uuid, 'expiring.hook.test', ['msgapp']);
    return new Expiry(run, random, { expiring, held, kept }, (WRITERS * HOUR_MS) / operations);
  },
};

type Numbers = Readonly<Record<'expiring' | 'held' | 'kept', UsedNumber>>;

class Expiry implements Work {
  readonly #run: Run;
  readonly #random: Random;
  readonly #numbers: Numbers;
  readonly #pauseMs: number;
  /** By number, the ids of the messages that were acknowledged. */
  readonly #acknowledged = new Map<UsedNumber, string[]>();
  /** By id, when an expiring message was recorded. */
  readonly #recordedAt = new Map<string, number>();

  constructor(run: Run, random: Random, numbers: Numbers, pauseMs: number) {
    this.#run = run;
    this.#random = random;
    this.#numbers = numbers;
    this.#pauseMs = pauseMs;
    for (const number of Object.values(numbers)) this.#acknowledged.set(number, []);
  }

  begin(): void {
    for (let writer = 0; writer < WRITERS; writer++) this.#run.actor(() => this.#write(writer));
  }

  async check(): Promise<void> {
    for (const [number, ids] of this.#acknowledged) {
      const stored = await storedMessages(this.#run, number.uuid);
      const known = new Set(stored.map(({ external_id: id }) => id));
      for (const id of ids) if (!known.has(id)) this.#run.violated(`message ${id} was acknowledged, is not a week old, and is not stored`);
      if (number === this.#numbers.expiring)
        for (const { external_id: id, recorded_at: at } of stored) this.#recordedAt.set(id, Date.parse(at));
    }
  }

  async checkWeek(): Promise<void> {
    // The clock of the machine may have been wrong when it recorded a message.
    const now = await this.#run.machines[0]!.perform(async (platform) => platform.clock.now().getTime());
    if (now === undefined) return;
    const { expiring, held, kept } = this.#numbers;
    for (const number of [held, kept]) {
      const stored = new Set((await storedMessages(this.#run, number.uuid)).map(({ external_id: id }) => id));
      for (const id of this.#acknowledged.get(number)!)
        if (!stored.has(id))
          this.#run.violated(`message ${id}, which ${number === held ? 'is on hold' : 'has no limit'}, is not stored after a week`);
    }
    const stored = new Map((await storedMessages(this.#run, expiring.uuid)).map(({ external_id: id, uuid }) => [id, uuid]));
    for (const [id, at] of this.#recordedAt) {
      const age = now - at;
      if (stored.has(id) && age > KEPT_DAYS * DAY_MS + DELETED_WITHIN_MS)
        this.#run.violated(`message ${id} is stored after ${age / DAY_MS} days`);
      if (!stored.has(id) && age < KEPT_DAYS * DAY_MS) this.#run.violated(`message ${id} is not stored after ${age / DAY_MS} days`);
    }
    const { deliveries } = await this.#run.admin('GET', `/deliveries?number=${expiring.uuid}&limit=500`);
    const uuids = new Set(stored.values());
    for (const { uuid, message } of deliveries)
      if (message !== undefined && !uuids.has(message))
        this.#run.violated(`delivery ${uuid} is stored, and its message ${message} has expired`);
    const { numbers } = await this.#run.admin('GET', '/retention');
    const counted = numbers.find(({ number }: { number: string }) => number === held.uuid)?.messages;
    const total = (await storedMessages(this.#run, held.uuid)).length;
    // Messages that the clock puts before those that were counted are not counted.
    if (counted !== total && !this.#run.scenario.faults.some(({ kind }) => kind.startsWith('clock')))
      this.#run.violated(`${counted} messages on hold are counted, and ${total} are stored`);
  }

  async #write(writer: number): Promise<void> {
    const all = Object.values(this.#numbers);
    for (let n = 0; ; n++) {
      await this.#run.world.sleep(this.#random.exponential(this.#pauseMs));
      if (this.#run.isOver) return;
      const number = all[this.#random.below(all.length)]!;
      const from = `contact-${this.#random.below(CONTACTS)}`;
      const id = `${writer}-${n}`;
      const text = { body: this.#random.chance(LONG) ? `${id} ${'a long text '.repeat(500)}` : id };
      const timestamp = String(1_767_600_000 + Math.floor(this.#run.world.now / 1_000));
      const body = { contact: { id: from, profile: { name: from } }, message: { type: 'text', from, id, timestamp, text } };
      const path = `/v1/numbers/${number.uuid}/messages`;
      const response = await this.#run.decided({ method: 'POST', path, token: number.token, body });
      if (!response) return;
      if (response.status === 200) this.#acknowledged.get(number)!.push(id);
      else this.#run.violated(`message ${id} got ${response.status}: ${JSON.stringify(response.body)}`);
    }
  }
}
