import type { Json } from '#core';
import { exactJson } from '#core/basics';
import { SimulationRefused } from '../errors.js';
import type { Mock } from '../records.js';
import { MOCK_LIMITS } from '../schemas.js';
import { type UrlPattern, urlPattern } from './url-pattern.js';

/**
 * Reads the mocks of a request. Checked here and not by a joi schema, so that errors name the mock's position and field.
 * @throws SimulationRefused with `Invalid http_mocks: mock 2: …`
 */
export function readMocks(given: readonly unknown[], stored: readonly Mock[]): Mock[] {
  const before = stored.length;
  if (before + given.length > MOCK_LIMITS.count)
    throw invalid(`a simulation can have at most ${MOCK_LIMITS.count} mocks; with these it would have ${before + given.length}`);
  const read = given.map((mock, i) => {
    try {
      return mockOf(mock);
    } catch (error) {
      throw invalid(`mock ${before + i + 1}: ${(error as Error).message}`);
    }
  });
  const bytes = [...stored, ...read].reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  if (bytes > MOCK_LIMITS.bodies)
    throw invalid(`the mock bodies of a simulation can have at most ${MOCK_LIMITS.bodies} bytes; with these they would have ${bytes}`);
  return read;
}

export const invalid = (part: string): SimulationRefused => new SimulationRefused(400, `Invalid http_mocks: ${part}`);

function mockOf(given: unknown): Mock {
  const { method, url, response = {}, ...others } = withoutNulls(objectOf(given, 'must be an object'));
  const misplaced = ['status', 'body', 'headers'].find((part) => Object.hasOwn(others, part));
  if (misplaced !== undefined) throw new Error(`${misplaced} must be inside response`);
  if (method !== undefined && (typeof method !== 'string' || !/^[A-Za-z]{1,20}$/.test(method)))
    throw new Error('method must be an HTTP method, such as "GET"');
  if (typeof url !== 'string' || url === '') throw new Error('url must be a non-empty string');
  if ([...url].length > MOCK_LIMITS.pattern) throw new Error(`url must have at most ${MOCK_LIMITS.pattern} characters`);
  urlPattern(url);
  const { body } = objectOf(response, 'response must be an object');
  const { status = 200, headers = {} } = withoutNulls(response as Readonly<Record<string, unknown>>);
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 100 || status > 599)
    throw new Error('response.status must be an integer from 100 to 599');
  const text = bodyOf(body as Json | undefined);
  if (Buffer.byteLength(text.body) > MOCK_LIMITS.body) throw new Error(`response.body must have at most ${MOCK_LIMITS.body} bytes`);
  const named = Object.entries(withoutNulls(objectOf(headers, 'response.headers must be an object'))).map(([name, value]) => {
    if (typeof value !== 'string') throw new Error(`response.headers.${name.slice(0, 60)} must be a string`);
    return [name.toLowerCase(), value] as const;
  });
  return {
    ...(method !== undefined && { method: method.toUpperCase() }),
    url,
    status,
    headers: { ...text.headers, ...Object.fromEntries(named) },
    body: text.body,
  };
}

/** A string is sent unchanged, everything else as JSON. */
function bodyOf(body: Json | undefined): { body: string; headers: Record<string, string> } {
  if (body === undefined) return { body: '', headers: {} };
  if (typeof body === 'string') return { body, headers: { 'content-type': 'text/plain; charset=utf-8' } };
  return { body: exactJson(body), headers: { 'content-type': 'application/json' } };
}

function objectOf(value: unknown, problem: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(problem);
  return value as Readonly<Record<string, unknown>>;
}

/** Null means absent, except for the body of a response, which may be null. */
const withoutNulls = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/** The mocks of one simulation in order, and which of them have been used. */
export class MockSequence {
  readonly #mocks: readonly { readonly mock: Mock; readonly pattern: UrlPattern }[];
  readonly #used: Set<number>;

  constructor(mocks: readonly Mock[], used: readonly number[]) {
    this.#mocks = mocks.map((mock) => ({ mock, pattern: urlPattern(mock.url) }));
    this.#used = new Set(used);
  }

  get used(): readonly number[] {
    return [...this.#used].sort((a, b) => a - b);
  }

  /** Uses the first unused matching mock. If all matching mocks have been used, uses the last of them again (Endpoints, "Journey simulation", rule 4). */
  match(
    method: string,
    url: string,
  ): { readonly mock: Mock; readonly position: number; readonly params: Readonly<Record<string, string>> } | undefined {
    let last: number | undefined;
    let params: Readonly<Record<string, string>> = {};
    for (const [i, { mock, pattern }] of this.#mocks.entries()) {
      const names = isMethod(mock, method) ? pattern.match(url) : undefined;
      if (!names) continue;
      [last, params] = [i, names];
      if (!this.#used.has(i)) break;
    }
    if (last === undefined) return undefined;
    this.#used.add(last);
    return { mock: this.#mocks[last]!.mock, position: last, params };
  }

  explainMiss(method: string, url: string): string {
    const message = `no mock matched ${method} ${url}`;
    const near = this.nearest(method, url);
    return near === undefined ? message : `${message}; closest: ${near}`;
  }

  /** The mock that comes closest to a request and did not respond to it, and why. @param except the position of the mock that did */
  nearest(method: string, url: string, except?: number): string | undefined {
    const near = this.#mocks
      .map(({ mock, pattern }, i) => ({ i, mock, ...pattern.closest(url) }))
      .filter(({ i }) => i !== except)
      .sort((a, b) => b.fits - a.fits || Number(isMethod(b.mock, method)) - Number(isMethod(a.mock, method)))[0];
    if (!near) return undefined;
    const { i, mock, wants, has } = near;
    if (wants === '' && has === '')
      return isMethod(mock, method) ? `mock ${i + 1}, which matches, too` : `mock ${i + 1}, which is for ${mock.method}`;
    const differs =
      has === '' ? `expects more: "${short(wants)}"` : wants === '' ? `ends before "${short(has)}"` : `differs at "${short(has)}"`;
    return `mock ${i + 1}, ${differs}`;
  }
}

const isMethod = ({ method }: Mock, requested: string): boolean => method === undefined || method === requested.toUpperCase();
const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
