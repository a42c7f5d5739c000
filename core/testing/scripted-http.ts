import { setMaxListeners } from 'node:events';
import { type HttpFailure, stoppedFailure } from '../adapters/http/http-failure.js';
import { headersOf, targetOf } from '../adapters/http/http-request.js';
import type { Clock } from '../ports/clock.js';
import type { HttpClient, HttpOutcome, HttpRequest } from '../ports/http-client.js';

/** What comes back; 200 with no body if nothing else is said. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, bytes, or anything else as JSON. */
  readonly body?: unknown;
  /** Milliseconds of the clock until the head. */
  readonly afterMs?: number;
  /** Milliseconds from the head to the end of the body. */
  readonly bodyAfterMs?: number;
}

/** `hang`: nothing ever comes back. `refuse`: nobody listens. `unknown host`: the name does not exist. `reset`: the connection breaks. */
export type Trouble = 'hang' | 'refuse' | 'unknown host' | 'reset';

/** What comes of a request: an answer, a failure of the network, or whichever the function says. */
export type ScriptedAnswer = Reply | Trouble | ((call: RecordedCall) => Reply | Trouble | Promise<Reply | Trouble>);

/** A request that was sent. */
export class RecordedCall {
  readonly method: string;
  readonly url: string;
  /** By their names in lower case. */
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

  /** The body, read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever was sent
  get json(): any {
    return JSON.parse(this.text);
  }
}

const troubles: Readonly<Record<Exclude<Trouble, 'hang'>, HttpFailure>> = {
  refuse: { permanent: false, code: 'ECONNREFUSED', reason: 'the connection was refused' },
  'unknown host': { permanent: true, code: 'ENOTFOUND', reason: 'the host does not exist' },
  reset: { permanent: false, code: 'ECONNRESET', reason: 'the connection was reset' },
};

/**
 * An HTTP client with a script instead of a network. A pattern is a URL in which `*` stands for anything, with a method in
 * front or without: `POST https://connector.test/*`.
 */
export class ScriptedHttp implements HttpClient {
  /** Everything that was sent, in order. */
  readonly calls: RecordedCall[] = [];
  /** What was sent though no answer was scripted for it. */
  readonly unexpected: RecordedCall[] = [];
  readonly #clock: Clock;
  readonly #script: { readonly pattern: string; readonly answers: readonly ScriptedAnswer[]; used: number }[] = [];
  readonly #stop = new AbortController();

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
    // Each exchange that waits hears of the stop.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Says what calls of a pattern are answered, one answer after the other, the last one again and again. A later script goes before an earlier one. */
  answer(pattern: string, ...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]): this {
    this.#script.unshift({ pattern, answers, used: 0 });
    return this;
  }

  callsTo(pattern: string): RecordedCall[] {
    return this.calls.filter((call) => matches(pattern, call));
  }

  /** The bodies of the calls of a pattern, read as JSON. */
  bodies(pattern = '*'): unknown[] {
    return this.callsTo(pattern).map(({ json }) => json);
  }

  /** @throws when something was sent that no answer was scripted for */
  assertExpected(): void {
    if (this.unexpected.length === 0) return;
    const sent = this.unexpected.map(({ method, url, text }) => `  ${method} ${url} ${text.slice(0, 200)}`);
    const scripted = this.#script.map(({ pattern }) => `  ${pattern}`);
    throw new Error(`No answer was scripted for\n${sent.join('\n')}\nbut for\n${scripted.join('\n') || '  nothing'}`);
  }

  send(request: HttpRequest): Promise<HttpOutcome> {
    return this.#clock.during(() => this.#send(request));
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
    if (!line) return this.#surprise(call);
    const scripted = line.answers[Math.min(line.used++, line.answers.length - 1)] as ScriptedAnswer;
    const answer = typeof scripted === 'function' ? await scripted(call) : scripted;
    const outcome = await this.#play(answer, request, started);
    return this.#stop.signal.aborted ? unreachable(stoppedFailure, this.#clock.monotonic() - started) : outcome;
  }

  async #play(
    answer: Reply | Trouble,
    { deadlineMs, maxResponseBytes, bodyMatters = true }: HttpRequest,
    started: number,
  ): Promise<HttpOutcome> {
    const elapsed = () => this.#clock.monotonic() - started;
    const wait = (ms: number) => (ms > 0 ? this.#clock.sleep(ms, this.#stop.signal) : undefined);
    const late = async (): Promise<HttpOutcome> => {
      await wait(deadlineMs - elapsed());
      return { kind: 'timeout', elapsedMs: elapsed() };
    };

    if (answer === 'hang') return late();
    if (typeof answer === 'string') return unreachable(troubles[answer], elapsed());
    const { status = 200, headers = {}, afterMs = 0, bodyAfterMs = 0 } = answer;
    if (elapsed() + afterMs >= deadlineMs) return late();
    await wait(afterMs);
    const elapsedMs = elapsed();
    const isLate = elapsedMs + bodyAfterMs >= deadlineMs;
    if (isLate && bodyMatters) return late();
    await wait(isLate ? deadlineMs - elapsedMs : bodyAfterMs);
    const whole = isLate ? new Uint8Array() : bytesOf(answer.body);
    const body = whole.slice(0, maxResponseBytes);
    const type = isJson(answer.body) ? { 'content-type': 'application/json' } : {};
    return {
      kind: 'response',
      status,
      headers: { ...type, ...lowerCased(headers) },
      body,
      cut: isLate || body.length < whole.length,
      elapsedMs,
    };
  }

  #surprise(call: RecordedCall): HttpOutcome {
    this.unexpected.push(call);
    const reason = `no answer was scripted for ${call.method} ${call.url}`;
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
