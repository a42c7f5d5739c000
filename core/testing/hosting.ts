import Hapi, { type Server } from '@hapi/hapi';
import { createPlatform, type Platform, type PlatformOptions } from '../platform/platform.js';
import type { Tap } from './tap.js';

/** A started platform, and how tests call it. */
export interface Hosted {
  readonly platform: Platform;
  readonly server: Server;
  /** Makes a call, as `server.inject` does. */
  send(
    call: Exclude<Parameters<Server['inject']>[0], string>,
  ): Promise<Pick<Awaited<ReturnType<Server['inject']>>, 'statusCode' | 'payload' | 'headers'>>;
}

/** Starts a platform for a test, and stops it at the end. `observe` receives the platform before it emits events. */
export type Host = (t: Tap, options: PlatformOptions, prefix: string | undefined, observe: (platform: Platform) => void) => Promise<Hosted>;

/** How the platforms of tests are started: on a hapi server that does not listen. Replaced to run the same tests on a cluster. */
export const hosting: { host: Host } = {
  async host(t, options, prefix, observe) {
    const platform = createPlatform(options);
    observe(platform);
    const server = Hapi.server();
    await server.register(platform.hapiPlugin, prefix === undefined ? {} : { routes: { prefix } });
    await server.initialize();
    t.teardown(() => server.stop());
    return { platform, server, send: (call) => server.inject(call) };
  },
};
