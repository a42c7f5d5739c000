import type { Plugin, Server, ServerOptions } from '@hapi/hapi';
import type { Call } from './calls.js';

/** A host application: its settings, plugins and routes, which a platform must leave as they are, and which must not change the platform. */
export interface Host {
  readonly name: string;
  /** Part of the default run; the others run with all tests. */
  readonly isShort?: true;
  readonly settings?: ServerOptions;
  /** Runs before the platform is registered. */
  readonly before?: (server: Server) => Promise<void> | void;
  /** Runs after the platform is registered. */
  readonly after?: (server: Server) => Promise<void> | void;
  /** Two calls of the host's own routes; by default `GET /own/page` and `POST /own/form`, which `ownRoutes` adds. */
  readonly own?: readonly Call[];
  /** The headers of every call of the host's own routes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The host name for which the platform is mounted; the `Host` of calls. */
  readonly vhost?: string;
  /** Makes the server, with the platform if it is given; `Hapi.server` and `register` do if there is no function. */
  readonly compose?: (platform: Mounted | undefined) => Promise<Server>;
  /** The prefix of the platform, `/messaging` if not given; empty for a platform at the root. */
  readonly prefix?: string;
  /** Headers that the host adds to responses of the platform, because it asked for them on every route. */
  readonly adds?: readonly string[];
  /** The server listens, and calls use its address. */
  readonly listens?: boolean;
}

/** A platform as `server.register` takes it. */
export interface Mounted {
  plugin: Plugin<object>;
  routes: { prefix?: string; vhost?: string };
}

/** The routes that every host has, unless it has others. */
export function ownRoutes(server: Server): void {
  server.route([
    { method: 'GET', path: '/own/page', handler: () => ({ host: 'page' }) },
    { method: 'POST', path: '/own/form', handler: ({ payload }) => ({ host: 'form', read: Buffer.isBuffer(payload) || typeof payload }) },
  ]);
}
