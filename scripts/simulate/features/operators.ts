import { ADMIN_KEY, type Response } from '../machine.js';
import { Office } from '../office.js';
import type { Random } from '../random.js';
import { Receiver } from '../receiver.js';
import { type Feature, HOUR_MS, type Run, type Work } from '../run.js';
import { createChannel, subscribe, type UsedNumber } from '../set-up.js';
import { WatchedWebhook } from '../watched-webhook.js';

const WRITERS = 6;
const OPERATORS = 2;
/** The share of the operations that are messages. */
const MESSAGES = 0.8;

/** Operators deliver again, pause, cancel, replace secrets, change URLs, write and start journeys, while contacts write. */
export const operators: Feature = {
  name: 'operators',
  weight: 2,
  async setUp(run, { random, operations }) {
    const connector = new Receiver(run, 'connector.office.test', ({ headers }) => ({ messages: [{ id: headers['x-svc-hook-delivery'] }] }));
    const number = await createChannel(run, 'web:office', connector);
    const webhooks: WatchedWebhook[] = [];
    for (const name of ['east', 'west']) {
      const { receiver, uuid } = await subscribe(run, number.uuid, `${name}.hook.test`, ['msgapp']);
      const [secret] = receiver.secrets!;
      webhooks.push(new WatchedWebhook(run, uuid, [receiver, new Receiver(run, `${name}-2.hook.test`, () => ({}))], secret!));
    }
    const office = new Office(run, random, number.uuid, connector.host);
    await office.open();
    return new Operators(run, random, number, { webhooks, office }, operations);
  },
};

class Operators implements Work {
  readonly #run: Run;
  readonly #random: Random;
  readonly #number: UsedNumber;
  readonly #webhooks: readonly WatchedWebhook[];
  readonly #office: Office;
  readonly #operations: number;
  readonly #acknowledged: string[] = [];
  /** Runs that an acknowledged redelivery has started. */
  readonly #runs: { readonly delivery: string; readonly run: number }[] = [];
  /** How many redeliveries of each delivery were asked for, acknowledged or not. */
  readonly #asked = new Map<string, number>();
  /** Webhooks on which an operator works. */
  readonly #busy = new Set<WatchedWebhook>();
  readonly #cancelled = new Set<string>();

  constructor(
    run: Run,
    random: Random,
    number: UsedNumber,
    { webhooks, office }: { readonly webhooks: readonly WatchedWebhook[]; readonly office: Office },
    operations: number,
  ) {
    this.#run = run;
    this.#random = random;
    this.#number = number;
    this.#webhooks = webhooks;
    this.#office = office;
    this.#operations = operations;
  }

  begin(): void {
    const messages = this.#operations * MESSAGES;
    for (let writer = 0; writer < WRITERS; writer++) this.#run.actor(() => this.#write(writer, (WRITERS * HOUR_MS) / messages));
    const pauseMs = (OPERATORS * HOUR_MS) / (this.#operations - messages);
    for (let operator = 0; operator < OPERATORS; operator++) this.#run.actor(() => this.#operate(pauseMs));
  }

  async check(): Promise<void> {
    const { deliveries } = this.#run;
    this.#office.check();
    for (const id of this.#acknowledged)
      for (const { uuid, receivers } of this.#webhooks) {
        const count = new Set(receivers.flatMap(({ host }) => deliveries.idsOf(host, id))).size;
        if (count !== 1) this.#run.violated(`message ${id} was acknowledged and has ${count} deliveries to webhook ${uuid}`);
      }
    for (const { delivery, run } of this.#runs)
      if (!deliveries.hasRun(delivery, run) && !this.#cancelled.has(delivery))
        this.#run.violated(`redelivery ${run} of ${delivery} was acknowledged, and no request was sent`);
    for (const [delivery, asked] of this.#asked) {
      const newest = deliveries.newestRun(delivery);
      if (newest > 1 + asked) this.#run.violated(`delivery ${delivery} has run ${newest} after ${asked} redeliveries`);
    }
  }

  async #write(writer: number, pauseMs: number): Promise<void> {
    const { world } = this.#run;
    const contact = `+2785000${String(writer).padStart(4, '0')}`;
    for (let n = 0; ; n++) {
      await world.sleep(this.#random.exponential(pauseMs));
      if (this.#run.isOver) return;
      const id = `${contact}:${n}`;
      const timestamp = String(1_767_600_000 + Math.floor(world.now / 1_000));
      const message = { type: 'text', from: contact, id, timestamp, text: { body: id } };
      const body = { contact: { id: contact, profile: { name: contact } }, message };
      const { uuid, token } = this.#number;
      const response = await this.#run.decided({ method: 'POST', path: `/v1/numbers/${uuid}/messages`, token, body });
      if (response?.status === 200) this.#acknowledged.push(id);
      else if (response) this.#run.violated(`message ${id} got ${response.status}: ${JSON.stringify(response.body)}`);
    }
  }

  async #operate(pauseMs: number): Promise<void> {
    const actions = [
      this.#redeliver,
      this.#redeliver,
      this.#pause,
      this.#cancel,
      this.#rotate,
      this.#changeUrl,
      this.#changePace,
      this.#lookAtLane,
      () => this.#office.write(),
      () => this.#office.greet(),
    ];
    for (;;) {
      await this.#run.world.sleep(this.#random.exponential(pauseMs));
      if (this.#run.isOver) return;
      const free = this.#webhooks.filter((webhook) => !this.#busy.has(webhook));
      if (free.length === 0) continue;
      const webhook = this.#random.pick(free);
      this.#busy.add(webhook);
      await this.#random.pick(actions).call(this, webhook);
      this.#busy.delete(webhook);
    }
  }

  /** A call that no fault of the network repeats. */
  #admin(method: string, path: string, body?: object): Promise<Response | undefined> {
    return this.#run.call({ method, path: `/admin/v1${path}`, token: ADMIN_KEY, isOnce: true, ...(body && { body }) });
  }

  /** Repeats a call that does nothing more the second time. Whether it was ever uncertain is the second result. */
  async #certainly(method: string, path: string, body?: object): Promise<readonly [Response, boolean]> {
    for (let isUncertain = false; ; isUncertain = true) {
      const response = await this.#admin(method, path, body);
      if (response && response.status < 500) {
        if (response.status >= 300) this.#run.violated(`${method} ${path} got ${response.status}: ${JSON.stringify(response.body)}`);
        return [response, isUncertain];
      }
      await this.#run.world.sleep(2_000);
    }
  }

  async #redeliver(webhook: WatchedWebhook): Promise<void> {
    const { deliveries } = this.#run;
    const settled = webhook.newest.filter((delivery) => !this.#cancelled.has(delivery) && deliveries.isDelivered(delivery));
    if (settled.length === 0) return;
    const delivery = this.#random.pick(settled);
    const asked = this.#asked.get(delivery) ?? 0;
    this.#asked.set(delivery, asked + 1);
    deliveries.ended(delivery);
    const response = await this.#admin('POST', `/deliveries/${delivery}/redeliver`);
    if (!response || response.status >= 500) return;
    // A settled delivery may have been evicted.
    if (response.status === 404 && this.#run.keptDeliveries !== undefined) return;
    if (response.status !== 200)
      return this.#run.violated(`a redelivery of ${delivery} got ${response.status}: ${JSON.stringify(response.body)}`);
    const { run } = response.body.delivery;
    const certain = this.#runs.filter((one) => one.delivery === delivery).length;
    if (run < 2 + certain || run > 2 + asked) this.#run.violated(`redelivery ${asked + 1} of ${delivery} started run ${run}`);
    this.#runs.push({ delivery, run });
  }

  async #pause(webhook: WatchedWebhook): Promise<void> {
    const ends = webhook.receivers.map(({ host }) => this.#run.deliveries.paused(host));
    await this.#certainly('POST', `/webhooks/${webhook.uuid}/pause`);
    const resumed = webhook.paused();
    await this.#run.world.sleep(this.#random.between(1_000, 150_000));
    if (this.#random.chance(0.3)) await this.#cancel(webhook);
    resumed();
    await this.#certainly('POST', `/webhooks/${webhook.uuid}/resume`);
    for (const end of ends) end();
  }

  /** Cancels a delivery that waits for a retry or for its webhook. */
  async #cancel({ uuid }: WatchedWebhook): Promise<void> {
    const list = await this.#admin('GET', `/deliveries?webhook=${uuid}&state=retry_wait&limit=20`);
    const waiting: { uuid: string }[] = list?.status === 200 ? list.body.deliveries : [];
    if (waiting.length === 0) return;
    const delivery = this.#random.pick(waiting).uuid;
    const run = this.#run.deliveries.newestRun(delivery);
    this.#cancelled.add(delivery);
    this.#run.deliveries.ended(delivery);
    const response = await this.#admin('POST', `/deliveries/${delivery}/cancel`);
    if (!response || response.status >= 500) return;
    if (response.status !== 200 && response.status !== 409) this.#run.violated(`a cancellation of ${delivery} got ${response.status}`);
    if (response.status === 200 && response.body.delivery.run === run) this.#run.deliveries.cancelled(delivery, run);
  }

  async #rotate(webhook: WatchedWebhook): Promise<void> {
    const overlapMs = this.#random.pick([0, 36_000, 180_000]);
    webhook.secretChanges();
    const [{ body }, wasUncertain] = await this.#certainly('POST', `/webhooks/${webhook.uuid}/rotate-secret`, {
      overlap_hours: overlapMs / HOUR_MS,
    });
    webhook.secretChanged(body.hmac_secret, overlapMs, !wasUncertain);
  }

  async #changeUrl(webhook: WatchedWebhook): Promise<void> {
    webhook.urlChanges();
    await this.#certainly('PATCH', `/webhooks/${webhook.uuid}`, { url: webhook.other.url });
    webhook.urlChanged();
  }

  /** The receiver becomes faster or slower. */
  async #changePace({ active }: WatchedWebhook): Promise<void> {
    active.manners.ms = this.#random.pick([
      { min: 1, max: 150 },
      { min: 250, max: 900 },
      { min: 1_100, max: 2_500 },
    ]);
  }

  async #lookAtLane(webhook: WatchedWebhook): Promise<void> {
    const response = await this.#admin('GET', `/webhooks/${webhook.uuid}`);
    if (response?.status === 200) webhook.checkLane(response.body.webhook.lane);
  }
}
