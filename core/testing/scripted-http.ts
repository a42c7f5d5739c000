import { setMaxListeners } from 'node:events';
import { type HttpFailure, stoppedFailure } from '../adapters/http/http-failure.js';
import { headersOf, targetOf } from '../adapters/http/http-request.js';
import { untilAborted } from '../adapters/http/until-aborted.js';
import type { Clock } from '../ports/clock.js';
import type { HttpClient, HttpOutcome, HttpRequest } from '../ports/http-client.js';

/** A scripted response; 200 without a body by default. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, bytes, or any other value as JSON. */
  readonly body?: unknown;
  /** Milliseconds on the clock until the response head. */
  readonly afterMs?: number;
  /** Milliseconds from the head to the end of the body. */
  readonly bodyAfterMs?: number;
}

/** `hang`: no response. `refuse`: the connection is refused. `unknown host`: the host does not exist. `reset`: the connection breaks. */
export type NetworkFault = 'hang' | 'refuse' | 'unknown host' | 'reset';

/** The scripted outcome of a request: a response, a network failure, or a function that returns one. */
export type ScriptedAnswer = Reply | NetworkFault | ((call: RecordedCall) => Reply | NetworkFault | Promise<Reply | NetworkFault>);

/** A request that was sent. */
export class RecordedCall {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly at: Date;

  constructor({ method, url, headers = {}, body = '' }: HttpRequest, at: Date) {
    this.method = method;
    this.url = url;
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    this.body = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body);
    this.at = at;
  }

  get text(): string {
    return new TextDecoder().decode(this.body);
  }

  /** The body, parsed as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the request
  get json(): any {
    return JSON.parse(this.text);
  }
}

const networkFaults: Readonly<Record<Exclude<NetworkFault, 'hang'>, HttpFailure>> = {
  refuse: { permanent: false, code: 'ECONNREFUSED', reason: 'the connection was refused' },
  'unknown host': { permanent: true, code: 'ENOTFOUND', reason: 'the host does not exist' },
  reset: { permanent: false, code: 'ECONNRESET', reason: 'the connection was reset' },
};

/**
 * An HTTP client that returns scripted responses. A pattern is a URL, optionally with a method in front; `*` matches any text:
 * `POST https://connector.test/*`.
 */
export class ScriptedHttp implements HttpClient {
  /** All requests, in order. */
  readonly calls: RecordedCall[] = [];
  /** Requests that match no script. */
  readonly unexpected: RecordedCall[] = [];
  readonly #clock: Clock;
  readonly #script: { readonly pattern: string; readonly answers: readonly ScriptedAnswer[]; used: number }[] = [];
  readonly #stop = new AbortController();

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
    // Every pending request listens for `stop`.
    setMaxListeners(0, this.#stop.signal);
  }

  /**
   * Sets the responses to requests that match a pattern, in order; the last response repeats. Later scripts take precedence over
   * earlier scripts.
   */
  answer(pattern: string, ...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]): this {
    this.#script.unshift({ pattern, answers, used: 0 });
    return this;
  }

  callsTo(pattern: string): RecordedCall[] {
    return this.calls.filter((call) => matches(pattern, call));
  }

  /** The bodies of the requests that match a pattern, parsed as JSON. */
  bodies(pattern = '*'): unknown[] {
    return this.callsTo(pattern).map(({ json }) => json);
  }

  /** @throws Error when a request matched no script */
  assertExpected(): void {
    if (this.unexpected.length === 0) return;
    const sent = this.unexpected.map(({ method, url, text }) => `  ${method} ${url} ${text.slice(0, 200)}`);
    const scripted = this.#script.map(({ pattern }) => `  ${pattern}`);
    throw new Error(`No answer was scripted for\n${sent.join('\n')}\nScripted:\n${scripted.join('\n') || '  nothing'}`);
  }

  send(request: HttpRequest): Promise<HttpOutcome> {
    return this.#clock.during(() => untilAborted(request, this.#clock, () => this.#send(request)));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
  }

  async #send(request: HttpRequest): Promise<HttpOutcome> {
    const target = targetOf(request.url);
    const headers = headersOf(request);
    if (this.#stop.signal.aborted) return unreachable(stoppedFailure, 0);
    if ('code' in target) return unreachable(target, 0);
    if (!Array.isArray(headers)) return unreachable(headers, 0);

    const started = this.#clock.monotonic();
    const call = new RecordedCall(request, this.#clock.now());
    this.calls.push(call);
    const line = this.#script.find(({ pattern }) => matches(pattern, call));
    if (!line) return this.#surprise(call, request.shownUrl);
    const scripted = line.answers[Math.min(line.used++, line.answers.length - 1)] as ScriptedAnswer;
    const answer = typeof scripted === 'function' ? await scripted(call) : scripted;
    const outcome = await this.#play(answer, request, started);
    return this.#stop.signal.aborted ? unreachable(stoppedFailure, this.#clock.monotonic() - started) : outcome;
  }

  async #play(
    answer: Reply | NetworkFault,
    { deadlineMs, maxResponseBytes, bodyMatters = true, late: reader, signal }: HttpRequest,
    started: number,
  ): Promise<HttpOutcome> {
    const elapsed = () => this.#clock.monotonic() - started;
    const ended = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal;
    const wait = (ms: number) => (ms > 0 ? this.#clock.sleep(ms, ended) : undefined);
    const late = async (): Promise<HttpOutcome> => {
      await wait(deadlineMs - elapsed());
      return { kind: 'timeout', elapsedMs: elapsed() };
    };

    if (answer === 'hang') return late();
    if (typeof answer === 'string') return unreachable(networkFaults[answer], elapsed());
    const { status = 200, headers = {}, afterMs = 0, bodyAfterMs = 0 } = answer;
    const type = isJson(answer.body) ? { 'content-type': 'application/json' } : {};
    const response = (complete: Uint8Array, elapsedMs: number, isCut = false) => {
      const body = complete.slice(0, maxResponseBytes);
      const cut = isCut || body.length < complete.length;
      return { kind: 'response' as const, status, headers: { ...type, ...lowerCased(headers) }, body, cut, elapsedMs };
    };
    const endsAt = elapsed() + afterMs + bodyAfterMs;
    const isReadLate = reader !== undefined && endsAt >= deadlineMs && endsAt < deadlineMs + reader.ms;
    if (isReadLate) {
      void this.#clock.during(async () => {
        await wait(endsAt - elapsed());
        reader.settle(signal?.aborted ? undefined : response(bytesOf(answer.body), endsAt));
      });
    }
    const read = isReadLate ? { late: true as const } : {};
    if (elapsed() + afterMs >= deadlineMs) return { ...(await late()), ...read };
    await wait(afterMs);
    const elapsedMs = elapsed();
    const isLate = elapsedMs + bodyAfterMs >= deadlineMs;
    if (isLate && bodyMatters) return { ...(await late()), ...read };
    await wait(isLate ? deadlineMs - elapsedMs : bodyAfterMs);
    return { ...response(isLate ? new Uint8Array() : bytesOf(answer.body), elapsedMs, isLate), ...(isLate && read) };
  }

  #surprise(call: RecordedCall, shownUrl = call.url): HttpOutcome {
    this.unexpected.push(call);
    const reason = `no answer was scripted for ${call.method} ${shownUrl}`;
    return unreachable({ permanent: false, code: 'UNEXPECTED', reason }, 0);
  }
}

function matches(pattern: string, { method, url }: RecordedCall): boolean {
  const [, wanted, glob = ''] = /^(?:([A-Z]+|\*) )?(.*)$/s.exec(pattern) ?? [];
  return (wanted === undefined || wanted === '*' || wanted === method) && matchesGlob(glob, url);
}

function matchesGlob(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function bytesOf(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(isJson(body) ? JSON.stringify(body) : String(body));
}

const isJson = (body: unknown): boolean => body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const unreachable = (failure: HttpFailure, elapsedMs: number): HttpOutcome => ({ kind: 'unreachable', ...failure, elapsedMs });
