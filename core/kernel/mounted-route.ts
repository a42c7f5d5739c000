import type { Request, RequestRoute, ServerRealm } from '@hapi/hapi';
import type { ErrorShape } from '../contract/plugin.js';
import type { Route } from '../contract/route.js';
import type { Logger } from '../ports/logger.js';

/** What the kernel remembers on a hapi route of ours. */
export interface MountedRoute {
  readonly route: Route;
  readonly shape: ErrorShape | undefined;
}

const key = 'posthorn';

export const remember = (mounted: MountedRoute): Record<string, MountedRoute> => ({ [key]: mounted });

/** The route of ours that a request came to; undefined for our 404. */
export const mountedRoute = (request: Request): MountedRoute | undefined =>
  (request.route.settings.plugins as Record<string, MountedRoute> | undefined)?.[key];

/** Keeps the log of an area on the realm of its routes. */
export function rememberLog({ plugins }: ServerRealm, log: Logger): void {
  Object.assign(plugins, { [key]: log });
}

/** The log of the area that a request came to; undefined when it reached no route of a platform. */
export const areaLog = ({ route }: Request): Logger | undefined => (route.realm.plugins as Readonly<Record<string, Logger>>)[key];

/** Whether a platform mounted the route: not a route of the host application, and not the fallback that answers 404. */
export const isOurs = (route: RequestRoute | null): boolean =>
  (route?.settings.plugins as Record<string, unknown> | undefined)?.[key] !== undefined;

/** What a request is called in answers and in the log: hapi's id without the name of the machine; a host's own as it is. */
export function requestId({ info: { id } }: Request): string {
  const [first, last] = [id.indexOf(':'), id.lastIndexOf(':')];
  return first === last ? id : `${id.slice(0, first)}-${id.slice(last + 1)}`;
}
