import { createHmac } from 'node:crypto';
import type { Network, Received, Reply } from './network.js';
import type { Random } from './random.js';
import type { World } from './world.js';

const TEMPORARY = [500, 503];

/** How a receiver responds while nothing is wrong with it. */
export interface Manners {
  /** Milliseconds until it responds. */
  ms: { min: number; max: number };
  /** The share of requests that it answers with a temporary error. */
  busy: number;
}

/** A fault of a receiver. */
export interface Trouble {
  /** The share of requests that it answers with one of these statuses. */
  readonly probability: number;
  readonly statuses: readonly number[];
}

/** A response with another status than 200. */
export class Answer {
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }
}

/** The parts of a run that a receiver uses. */
interface ReceiverDeps {
  readonly network: Pick<Network, 'serve'>;
  readonly world: Pick<World, 'now' | 'sleep'>;
  readonly random: Random;
  readonly receivers: Receiver[];
  violated(what: string): void;
}

/** The server of a customer: a webhook or a connector. It checks the signature of everything that it receives. */
export class Receiver {
  readonly host: string;
  /** The secrets with which a delivery may be signed; undefined if its feature checks signatures itself. */
  secrets: Set<string> | undefined = new Set<string>();
  readonly manners: Manners;
  trouble: Trouble | undefined;
  /** Additional milliseconds. */
  slownessMs = 0;
  readonly #run: ReceiverDeps;
  readonly #accept: (request: Received) => unknown;

  /** @param accept called for each request that it accepts; what it returns, or resolves to, is sent as JSON, or is an `Answer` */
  constructor(run: ReceiverDeps, host: string, accept: (request: Received) => unknown) {
    this.host = host;
    this.#run = run;
    this.#accept = accept;
    this.manners = {
      ms: run.random.pick([
        { min: 1, max: 120 },
        { min: 250, max: 900 },
        { min: 1_100, max: 2_500 },
      ]),
      // Some retry is always pending, so that faults of the platform hit it.
      busy: run.random.pick([0, 0.05, 0.2]),
    };
    run.network.serve(host, (request) => this.#respond(request));
    run.receivers.push(this);
  }

  get url(): string {
    return `http://${this.host}/`;
  }

  async #respond(request: Received): Promise<Reply> {
    const { random, world } = this.#run;
    this.check(request);
    const { trouble } = this;
    await world.sleep(random.between(this.manners.ms.min, this.manners.ms.max) + this.slownessMs);
    if (random.chance(this.manners.busy)) return { status: random.pick(TEMPORARY) };
    if (trouble && random.chance(trouble.probability)) return { status: random.pick(trouble.statuses) };
    const body = await this.#accept(request);
    if (body instanceof Answer) return body.reply;
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) };
  }

  /** Checks the signature of a request. */
  check({ headers, body, url }: Received): void {
    if (!this.secrets) return;
    const given = [headers['x-svc-hook-signature'], headers['x-svc-hook-signature-previous']];
    const isOurs = [...this.secrets].some((secret) => given.includes(createHmac('sha256', secret).update(body).digest('base64')));
    if (!isOurs) this.#run.violated(`a request to ${url} has a wrong signature`);
  }
}
