import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedCall } from '../../core/testing/scripted-http.js';
import { CloudApiStandIn } from '../../plugins/cloud-api/testing/stand-in.js';
import { CONTACTS, FAULTS, type FaultName } from './cloud-faults.js';
import { contactOf, DEADLINE_MS, NUMBER, SECRETS } from './cloud-platform.js';

/** Where a process is killed: after the API has acknowledged a message, while the network has its send, or after the network's answer. */
export const places = ['before the send', 'before the answer', 'after the answer'] as const;
export type Place = (typeof places)[number];

/** A send that reached the network. */
export interface Call {
  readonly text: string;
  /** The process that sent it, counted from 0. */
  readonly process: number;
  readonly fault: FaultName | undefined;
  /** When its answer was sent, by `performance.now()`; undefined if there was none. */
  answeredAt?: number;
  /** The network has accepted the message. */
  isAccepted: boolean;
}

const INBOUND_SHARE = 0.2;
const COPIED_SHARE = 0.2;
const MAX_ROUND_MS = 30_000;

/** The stand-in of a run: it counts sends, breaks some of them, lets contacts write, and tells when a process is where it is to be killed. */
export class CloudNetwork {
  readonly standIn: CloudApiStandIn;
  readonly calls: Call[] = [];
  /** The texts that contacts wrote. */
  readonly written: string[] = [];
  /** How many sends each fault has hit. */
  readonly fired = Object.fromEntries(Object.keys(FAULTS).map((name) => [name, 0])) as Record<FaultName, number>;
  readonly #random: () => number;
  readonly #unknownMs: number;
  #process = -1;
  /** The faults of this round that have not hit a send yet. */
  #faults: FaultName[] = [];
  #every = 1;
  #untilFault = 1;
  #watch: ((place: Place) => void) | undefined;

  constructor({ random, unknownSeconds }: { readonly random: () => number; readonly unknownSeconds: number }) {
    this.#random = random;
    this.#unknownMs = unknownSeconds * 1_000;
    const switches = { closedWindow: 'open', pairBurst: 1_000_000, messagesPerSecond: 1_000_000 } as const;
    this.standIn = new CloudApiStandIn({ numbers: [NUMBER], ...SECRETS, switches });
  }

  start(): Promise<void> {
    return this.standIn.listen(0, (call) => this.#answer(call));
  }

  /** Counts the sends from now on as those of a new process. Each of the faults hits one of them, the first after `every` sends. */
  nextProcess(faults: readonly FaultName[], every = 1): void {
    this.#process++;
    this.#faults = [...faults];
    this.#untilFault = every;
    this.#every = every;
  }

  /** Resolves when a send is at the place, after `sends` others and after the faults of the process. @returns whether that was in time */
  async reach(place: Place, sends: number, kill: () => void): Promise<boolean> {
    const before = this.calls.length;
    const reached = new Promise<boolean>((resolve) => {
      this.#watch = (at) => {
        if (at !== place || this.#faults.length > 0 || this.calls.length - before < sends) return;
        this.#watch = undefined;
        kill();
        resolve(true);
      };
    });
    const isReached = await Promise.race([reached, sleep(MAX_ROUND_MS, false, { ref: false })]);
    this.#watch = undefined;
    return isReached;
  }

  /** Notes that the API has acknowledged a message. */
  acknowledged(): void {
    this.#watch?.('before the send');
  }

  /** A contact writes, sometimes in two copies of the webhook. */
  write(): void {
    const text = `in ${this.written.length}`;
    const contact = contactOf(this.written.length % CONTACTS);
    this.written.push(text);
    const copies = this.#random() < COPIED_SHARE ? 2 : 1;
    // A webhook that fails is sent again by the stand-in.
    void this.standIn.write(contact, text, { copies });
  }

  async #answer(call: RecordedCall) {
    if (!new URL(call.url).pathname.endsWith('/messages') || call.method !== 'POST') return this.standIn.answer(call);
    const { text } = call.json as { text?: { body: string } };
    // Not a text message: a mark.
    if (text === undefined) return this.standIn.answer(call);
    const fault = --this.#untilFault <= 0 ? this.#faults.shift() : undefined;
    if (this.#untilFault <= 0) this.#untilFault = this.#every;
    const record: Call = { text: text.body, process: this.#process, fault, isAccepted: false };
    this.calls.push(record);
    const rule =
      fault &&
      this.standIn.rule({
        ...FAULTS[fault]({ deadlineMs: DEADLINE_MS, unknownMs: this.#unknownMs }),
        times: 1,
        on: { contains: quoted(text.body) },
      });
    const before = this.standIn.sent.length;
    const reply = await this.standIn.answer(call);
    record.isAccepted = this.standIn.sent.slice(before).some(({ body }) => body.text.body === text.body);
    if (rule) {
      this.fired[fault!] += rule.applied;
      this.standIn.rules.remove(rule.id);
    }
    if (record.isAccepted && this.#random() < INBOUND_SHARE) this.write();
    if (fault === undefined) this.#watch?.('before the answer');
    if (typeof reply === 'string') return reply;
    // The answer leaves before the next immediate, and the process has not read it then.
    const answered = () => {
      record.answeredAt = performance.now();
      if (fault === undefined) this.#watch?.('after the answer');
    };
    if (reply.afterMs) setTimeout(answered, reply.afterMs);
    else setImmediate(answered);
    return reply;
  }
}

const quoted = (text: string): string => `"body":${JSON.stringify(text)}`;
