import { createHmac } from 'node:crypto';
import type { Exchange } from './network.js';
import type { Receiver } from './receiver.js';
import type { Run } from './run.js';

/** A change takes effect for attempts that start after it; those that started before may be sent this much later. */
const IN_PROGRESS_MS = 2_000;
const DISTURBED_MS = 60_000;
const SAMPLES = 20;
/** "5 s for an attempt without a response." */
const DEADLINE_MS = 5_000;
/** Attempts whose outcome the platform may not have counted yet. */
const UNCOUNTED = 4;

/** A secret, and from when it is the one that signs. */
interface Key {
  readonly secret: string;
  readonly from: number;
  /** Until when the previous one signs, too; undefined if it does not, or is not known. */
  readonly previous: { readonly secret: string; readonly until: number } | undefined;
}

/** Notes what an operator does to a webhook, and checks that its requests agree. */
export class WatchedWebhook {
  readonly uuid: string;
  /** Its URL is that of one of them. */
  readonly receivers: readonly [Receiver, Receiver];
  /** Requests of deliveries that it has got, oldest first. */
  readonly #requests: Exchange[] = [];
  readonly #run: Run;
  #keys: Key[];
  /** From when on the secret or the URL is not certain, because a change is in progress. */
  #isChangingSecret = false;
  #isChangingUrl = false;
  #urlSince = 0;
  #active = 0;
  #pausedSince: number | undefined;

  constructor(run: Run, uuid: string, receivers: readonly [Receiver, Receiver], secret: string) {
    this.#run = run;
    this.uuid = uuid;
    this.receivers = receivers;
    this.#keys = [{ secret, from: 0, previous: undefined }];
    for (const receiver of receivers) {
      receiver.secrets = undefined;
      run.deliveries.onEach(receiver.host, (request) => this.#note(request));
    }
  }

  get active(): Receiver {
    return this.receivers[this.#active]!;
  }

  get other(): Receiver {
    return this.receivers[1 - this.#active]!;
  }

  /** The ids of the newest deliveries. */
  get newest(): readonly string[] {
    return [...new Set(this.#requests.slice(-60).map(({ headers }) => headers['x-svc-hook-delivery']!))];
  }

  paused(): () => void {
    this.#pausedSince = this.#run.world.now;
    return () => {
      this.#pausedSince = undefined;
    };
  }

  secretChanges(): void {
    this.#isChangingSecret = true;
  }

  /** The secret has changed. @param isCertain whether the previous one is known */
  secretChanged(secret: string, overlapMs: number, isCertain: boolean): void {
    const { now } = this.#run.world;
    const before = this.#keys.at(-1)!;
    const previous = isCertain ? { secret: before.secret, until: now + overlapMs } : undefined;
    this.#keys = [...this.#keys.slice(-3), { secret, from: now, previous }];
    this.#isChangingSecret = false;
  }

  urlChanges(): void {
    this.#isChangingUrl = true;
  }

  urlChanged(): void {
    this.#active = 1 - this.#active;
    this.#urlSince = this.#run.world.now;
    this.#isChangingUrl = false;
  }

  /** Checks the lane that the platform reports against the response times of the newest attempts. */
  checkLane(lane: string): void {
    const done = this.#requests.filter(({ outcome }) => outcome !== undefined).sort((a, b) => endOf(a) - endOf(b));
    const seen = done.slice(-(2 * SAMPLES + UNCOUNTED));
    if (seen.length < 2 * SAMPLES + UNCOUNTED || this.#run.wasDisturbed(seen[0]!.sentAt, this.#run.world.now)) return;
    const allowed = new Set<string>();
    for (let end = SAMPLES + 1; end <= seen.length; end++) allowed.add(laneOf(seen.slice(end - SAMPLES, end)));
    if (!allowed.has(lane))
      this.#run.violated(`webhook ${this.uuid} has the lane ${lane}, but its attempts make it ${[...allowed].join(' or ')}`);
  }

  #note(request: Exchange): void {
    this.#requests.push(request);
    if (this.#requests.length > 400) this.#requests.splice(0, 200);
    const { sentAt } = request;
    const grace = this.#run.wasDisturbed(sentAt, sentAt) ? DISTURBED_MS : IN_PROGRESS_MS;
    if (this.#pausedSince !== undefined && sentAt > this.#pausedSince + grace)
      this.#run.violated(`webhook ${this.uuid} is paused and got a request`);
    if (!this.#isChangingUrl && sentAt > this.#urlSince + grace && !request.url.startsWith(this.active.url))
      this.#run.violated(`webhook ${this.uuid} got a request at its former URL ${request.url}`);
    if (!this.#isChangingSecret) this.#checkSignatures(request, grace);
  }

  #checkSignatures({ headers, body, sentAt }: Exchange, grace: number): void {
    const signs = (header: string, secret: string) => headers[header] === createHmac('sha256', secret).update(body).digest('base64');
    const key = this.#keys.at(-1)!;
    const { secret, from, previous } = key;
    // An attempt that started before the change has the previous signature.
    if (sentAt < from + grace) return;
    if (!signs('x-svc-hook-signature', secret)) this.#run.violated(`a request of webhook ${this.uuid} is not signed by its secret`);
    const hasPrevious = headers['x-svc-hook-signature-previous'] !== undefined;
    if (previous && sentAt < previous.until - grace && !this.#run.wasDisturbed(from, sentAt)) {
      if (!signs('x-svc-hook-signature-previous', previous.secret))
        this.#run.violated(`a request of webhook ${this.uuid} is not signed by its previous secret during the overlap`);
    } else if (previous && hasPrevious && sentAt > previous.until + grace && !this.#run.wasDisturbed(from, sentAt))
      this.#run.violated(`a request of webhook ${this.uuid} is signed by its previous secret after the overlap`);
  }
}

const elapsedOf = ({ outcome }: Exchange): number => outcome?.elapsedMs ?? 0;
const endOf = (request: Exchange): number => request.sentAt + elapsedOf(request);

function laneOf(requests: readonly Exchange[]): string {
  const times = requests.map((request) => (request.outcome?.kind === 'response' ? elapsedOf(request) : DEADLINE_MS));
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  return mean <= 200 ? 'high' : mean < 1_000 ? 'default' : 'low';
}
