import { anyValue, array, boolean, integer, nullable, object, type Route, route, string } from '#core';
import type { Sandbox } from '../sandbox.js';

/** The sandbox as it was started, for `posthorn status`. */
export type SandboxStatus = Pick<
  Sandbox,
  'api' | 'admin' | 'numbers' | 'channels' | 'webhooks' | 'journeys' | 'isResumed' | 'withoutToken' | 'changedOptions'
> & {
  readonly console: Sandbox['console'] | null;
  readonly phone: string | null;
  /** The process that serves it. */
  readonly pid: number;
  /** The time of a paused clock. */
  readonly pausedAt: string | null;
  readonly data: string | null;
};

const statusSchema = object({
  api: string(),
  pid: integer(),
  admin: object({ url: string(), key: string() }),
  numbers: array(object({ uuid: string(), kind: string(), name: string(), address: string(), token: string() }, { webhook: string() })),
  channels: array(
    object({ uuid: string(), name: string(), webhook: object({ uuid: string(), hmac_secret: string() }), endpoint: string() }),
  ),
  webhooks: array(
    object({ uuid: string(), number: string(), name: string(), url: string(), subscriptions: array(string()), hmac_secret: string() }),
  ),
  journeys: array(object({ uuid: string(), name: string(), number: string() })),
  isResumed: boolean(),
  withoutToken: array(string()),
  changedOptions: array(object({ path: string(), value: anyValue(), default: anyValue() })),
  console: nullable(object({ url: string() })),
  phone: nullable(string()),
  pausedAt: nullable(string()),
  data: nullable(string()),
});

/** The route from which `posthorn status` reads tokens and secrets, which the store has only hashed or encrypted. */
export const statusRoutes = (status: () => Promise<SandboxStatus>): Route[] => [
  route({
    method: 'GET',
    path: '/sandbox',
    permission: 'sandbox.access',
    needsAdminKey: true,
    summary: 'Shows how the sandbox was started: its records with their tokens and secrets, and the options that differ from the defaults.',
    responses: { 200: statusSchema },
    handler: () => status() as never,
  }),
];

type ShownSandbox = Pick<Sandbox, Exclude<keyof SandboxStatus, 'pid' | 'pausedAt' | 'data'> | 'clock'>;

export function statusOf(sandbox: ShownSandbox, data: string | undefined): SandboxStatus {
  const { api, admin, numbers, channels, webhooks, journeys, isResumed, withoutToken, changedOptions, clock } = sandbox;
  const { phone = null, console = null } = sandbox;
  const started = { api, admin, numbers, channels, webhooks, journeys, isResumed, withoutToken, changedOptions, console, phone };
  return { ...started, pid: process.pid, pausedAt: clock.isPaused ? clock.now().toISOString() : null, data: data ?? null };
}
