import type { Request, RequestRoute, ServerRealm } from '@hapi/hapi';
import type { ErrorShape } from '../../contract/plugin.js';
import type { Route } from '../../contract/route.js';
import type { Logger } from '../../ports/logger.js';

/** State that the kernel stores on a hapi route that it mounts. */
export interface MountedRoute {
  readonly route: Route;
  readonly shape: ErrorShape | undefined;
}

export const STATE_KEY = 'posthorn';

/** As a function: hapi copies objects deeply, with the schemas in them, which took a third of the time in which a platform starts. */
export const routeState = (mounted: MountedRoute): Record<string, () => MountedRoute> => ({ [STATE_KEY]: () => mounted });

/** The platform's route of a request; undefined for the fallback that responds with 404. */
export const mountedRoute = (request: Request): MountedRoute | undefined =>
  (request.route.settings.plugins as Record<string, () => MountedRoute> | undefined)?.[STATE_KEY]?.();

/** The logger and the state of the platform that mounted a route, for its failures. */
export interface MountedArea {
  readonly log: Logger;
  /** Why the platform cannot serve calls yet, or any more; undefined while it runs. */
  readonly whyNotRunning: () => string | undefined;
}

/** Stores an area on the realm of its routes. */
export function setArea({ plugins }: ServerRealm, area: MountedArea): void {
  Object.assign(plugins, { [STATE_KEY]: area });
}

/** The area of a request; undefined for a request to a route of the host application. */
export const areaOf = ({ route }: Request): MountedArea | undefined =>
  (route.realm.plugins as Readonly<Record<string, MountedArea>>)[STATE_KEY];

/** Whether a platform mounted the route: not a route of the host application, and not the fallback that responds with 404. */
export const isPlatformRoute = (route: RequestRoute | null): boolean =>
  (route?.settings.plugins as Record<string, unknown> | undefined)?.[STATE_KEY] !== undefined;

/** The request id in responses and in the log: hapi's id without the host name of the machine; other ids unchanged. */
export function requestId({ info: { id } }: Request): string {
  const [first, last] = [id.indexOf(':'), id.lastIndexOf(':')];
  return first === last ? id : `${id.slice(0, first)}-${id.slice(last + 1)}`;
}
