import Hapi, { type Server } from '@hapi/hapi';
import { SeededIds } from '../adapters/seeded-ids.js';
import { InlinePool } from '../adapters/workers/inline-pool.js';
import { type RetryPolicy, withDeliveryTimes } from '../delivery/retry-policy.js';
import type { NumberKind } from '../messaging/number.js';
import type { NewNumber } from '../messaging/numbers.js';
import { createPlatform, type Platform, type PlatformOptions } from '../platform/platform.js';
import type { Ports } from '../ports/ports.js';
import { ManualClock } from './manual-clock.js';
import { RecordingLogger } from './recording-logger.js';
import { ScriptedHttp } from './scripted-http.js';
import { patient } from './slowness.js';
import type { Tap } from './tap.js';

/** The admin key of platforms that `startPlatform` starts. */
export const ADMIN_KEY = 'admin-key-of-the-tests';

/** An answer, with its body read as JSON where it is JSON. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A platform under test, with what stands in for the world. */
export interface TestPlatform {
  readonly platform: Platform;
  readonly server: Server;
  readonly clock: ManualClock;
  readonly http: ScriptedHttp;
  readonly log: RecordingLogger;
  /** What was announced, in order. */
  readonly events: { readonly name: string; readonly data: unknown }[];
  /** A request to the platform's own routes, with a number's token if there is one. */
  call(method: string, path: string, options?: { token?: string; payload?: unknown; headers?: Record<string, string> }): Promise<Answer>;
  /** A request to the admin API: paths begin after /admin/v1. */
  admin(method: string, path: string, payload?: unknown): Promise<Answer>;
  /** Makes a number, and a token for it. */
  number(kind: NumberKind, about?: Partial<NewNumber>): Promise<{ readonly uuid: string; readonly token: string }>;
}

/** Options of the platform; `prefix` is where the server mounts it. */
export interface TestPlatformOptions extends Omit<PlatformOptions, 'ports'> {
  readonly ports?: Partial<Ports>;
  readonly prefix?: string;
  /** Other delivery times than the interface's. */
  readonly deliveryTimes?: Partial<RetryPolicy>;
}

/** Workers on this thread know a revision by its id, so no two platforms of a process may make the same ids. */
let platforms = 0;

/**
 * A platform on a hapi server that listens nowhere: manual clock, seeded ids, scripted HTTP, tasks on this thread, answers
 * checked against their schemas. What the test says comes first. It stops when the test ends.
 */
export async function startPlatform(
  t: Tap,
  { ports = {}, prefix, deliveryTimes = {}, ...options }: TestPlatformOptions,
): Promise<TestPlatform> {
  const clock = ports.clock instanceof ManualClock ? ports.clock : new ManualClock({ patienceMs: patient(1_000) });
  const http = ports.http instanceof ScriptedHttp ? ports.http : new ScriptedHttp({ clock });
  const log = ports.log instanceof RecordingLogger ? ports.log : new RecordingLogger();
  const platformOptions = {
    admin: { key: ADMIN_KEY },
    rateLimits: false,
    checkResponses: true,
    publicUrl: 'http://posthorn.test',
    ...options,
    ports: { clock, http, log, ids: new SeededIds(`test ${++platforms}`), workers: new InlinePool(), ...ports },
  };
  const platform = createPlatform(withDeliveryTimes(platformOptions, deliveryTimes));
  const events: { name: string; data: unknown }[] = [];
  platform.listen(({ name, data }) => events.push({ name, data }));
  const server = Hapi.server();
  await server.register(platform.hapiPlugin, prefix === undefined ? {} : { routes: { prefix } });
  await server.initialize();
  t.teardown(() => server.stop());

  const call: TestPlatform['call'] = async (method, path, { token, payload, headers = {} } = {}) => {
    const {
      statusCode,
      payload: text,
      headers: answered,
    } = await server.inject({
      method,
      url: `${prefix ?? ''}${path}`,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      ...(payload !== undefined && { payload: payload as object }),
    });
    const isJson = String(answered['content-type']).startsWith('application/json');
    return { status: statusCode, body: isJson && text !== '' ? JSON.parse(text) : text, headers: answered };
  };
  const admin: TestPlatform['admin'] = (method, path, payload) =>
    call(method, `/admin/v1${path}`, { token: ADMIN_KEY, ...(payload !== undefined && { payload }) });
  let made = 0;
  const number: TestPlatform['number'] = (kind, about = {}) =>
    platform.store.transaction((tx) => {
      const { uuid } = platform.numbers.create(tx, { kind, type: kind, address: `+27820000${++made}`, name: kind, ...about });
      return { uuid, token: platform.tokens.issue(tx, uuid, 'test').text };
    });
  return { platform, server, clock, http, log, events, call, admin, number };
}
