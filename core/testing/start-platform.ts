import type { Server } from '@hapi/hapi';
import { ManualClock } from '../adapters/clock/manual-clock.js';
import { SeededIds } from '../adapters/seeded-ids.js';
import { InlinePool } from '../adapters/workers/inline-pool.js';
import { type RetryPolicy, withDeliveryTimes } from '../delivery/retry-policy.js';
import type { NumberKind } from '../messaging/number.js';
import type { NewNumber } from '../messaging/numbers.js';
import type { Platform, PlatformOptions } from '../platform/platform.js';
import type { Ports } from '../ports/ports.js';
import { hosting } from './hosting.js';
import { type RecordedLine, RecordingLogger } from './recording-logger.js';
import { ScriptedHttp } from './scripted-http.js';
import { ScriptedSockets } from './scripted-sockets.js';
import { patient } from './slowness.js';
import type { Tap } from './tap.js';

/** The admin key of the platforms that `startPlatform` starts. */
export const ADMIN_KEY = 'admin-key-of-the-tests';

/** A response. `body` is parsed if it is JSON, else text. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A platform under test, with test doubles for everything outside it. */
export interface TestPlatform {
  readonly platform: Platform;
  readonly server: Server;
  readonly clock: ManualClock;
  readonly http: ScriptedHttp;
  readonly sockets: ScriptedSockets;
  readonly log: RecordingLogger;
  /** Emitted events, in order. */
  readonly events: { readonly name: string; readonly data: unknown }[];
  /** Sends a request to the API, with the token of a number if given. */
  call(method: string, path: string, options?: { token?: string; payload?: unknown; headers?: Record<string, string> }): Promise<Answer>;
  /** Sends a request to the admin API. `path` begins after /admin/v1. */
  admin(method: string, path: string, payload?: unknown): Promise<Answer>;
  /** Creates a number and a token for it. */
  number(kind: NumberKind, fields?: Partial<NewNumber>): Promise<{ readonly uuid: string; readonly token: string }>;
}

/** Options of `createPlatform`. `prefix` is the path under which the server mounts the platform. */
export interface TestPlatformOptions extends Omit<PlatformOptions, 'ports'> {
  readonly ports?: Partial<Ports>;
  readonly prefix?: string;
  /** Overrides of the interface's deadlines and retry delays. */
  readonly deliveryTimes?: Partial<RetryPolicy>;
}

/** Shows the exceptions of failed jobs and listeners as comments of the test, which would otherwise see only that nothing happened. */
function showFailures(t: Tap): (line: RecordedLine) => void {
  let hasEnded = false;
  t.teardown(() => {
    hasEnded = true;
  });
  return ({ level, message, fields: { error, queue, event } }) => {
    // The filter of the log turns errors into plain objects.
    const { stack } = (error ?? {}) as { stack?: unknown };
    const source = queue ?? event;
    if (hasEnded || typeof stack !== 'string' || typeof source !== 'string' || level === 'debug' || level === 'info') return;
    // A `t` that only collects teardowns has no comments.
    t.comment?.(`${message} (${source}): ${stack}`);
  };
}

/** Numbers the platforms of this process, so that each has its own ids: workers on this thread cache revisions by id. */
let platforms = 0;

/**
 * Starts a platform on a hapi server that does not listen: manual clock, seeded ids, scripted HTTP and sockets, tasks on this thread,
 * responses checked against the schemas of their routes, transactions for writes to several tenants. Options override these defaults. The platform stops when the test
 * ends.
 */
export async function startPlatform(
  t: Tap,
  { ports = {}, prefix, deliveryTimes = {}, ...options }: TestPlatformOptions,
): Promise<TestPlatform> {
  const clock = ports.clock instanceof ManualClock ? ports.clock : new ManualClock({ patienceMs: patient(1_000) });
  const http = ports.http instanceof ScriptedHttp ? ports.http : new ScriptedHttp({ clock });
  const sockets = ports.sockets instanceof ScriptedSockets ? ports.sockets : new ScriptedSockets({ clock });
  const log = ports.log instanceof RecordingLogger ? ports.log : new RecordingLogger([], {}, showFailures(t));
  const platformOptions = {
    admin: { key: ADMIN_KEY },
    rateLimits: false,
    checkResponses: true,
    checkTenants: true,
    publicUrl: 'http://posthorn.test',
    // Shorter than the default of 8 seconds, for which each test would wait at its end if an endpoint still hangs.
    shutdown: { deadlineMs: patient(1_000) },
    ...options,
    ports: { clock, http, sockets, log, ids: new SeededIds(`test ${++platforms}`), workers: new InlinePool(), ...ports },
  };
  const events: { name: string; data: unknown }[] = [];
  const { platform, server, send } = await hosting.host(t, withDeliveryTimes(platformOptions, deliveryTimes), prefix, (opened) =>
    opened.listen(({ name, data }) => events.push({ name, data })),
  );

  const call: TestPlatform['call'] = async (method, path, { token, payload, headers = {} } = {}) => {
    const {
      statusCode,
      payload: text,
      headers: responseHeaders,
    } = await send({
      method,
      url: `${prefix ?? ''}${path}`,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      ...(payload !== undefined && { payload: payload as object }),
    });
    const isJson = String(responseHeaders['content-type']).startsWith('application/json');
    return { status: statusCode, body: isJson && text !== '' ? JSON.parse(text) : text, headers: responseHeaders };
  };
  const admin: TestPlatform['admin'] = (method, path, payload) =>
    call(method, `/admin/v1${path}`, { token: ADMIN_KEY, ...(payload !== undefined && { payload }) });
  let created = 0;
  const number: TestPlatform['number'] = (kind, fields = {}) =>
    platform.store.transaction((tx) => {
      const about = { kind, type: kind, address: `+27820000${++created}`, name: kind, ...fields };
      // A test of a plugin need not load the plugin that sends for the number.
      const { uuid } = platform.numbers.create(tx, about, { needsDriver: false });
      return { uuid, token: platform.tokens.issue(tx, uuid, 'test').text };
    });
  return { platform, server, clock, http, sockets, log, events, call, admin, number };
}
