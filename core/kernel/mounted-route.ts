import type { Request, RequestRoute } from '@hapi/hapi';
import type { ErrorShape } from '../contract/plugin.js';
import type { Route } from '../contract/route.js';

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

/** Whether a platform mounted the route: not a route of the host application, and not the fallback that answers 404. */
export const isOurs = (route: RequestRoute | null): boolean =>
  (route?.settings.plugins as Record<string, unknown> | undefined)?.[key] !== undefined;

/** What a request is called in answers and in the log: hapi's id without the name of the machine; a host's own as it is. */
export function requestId({ info: { id } }: Request): string {
  const [first, last] = [id.indexOf(':'), id.lastIndexOf(':')];
  return first === last ? id : `${id.slice(0, first)}-${id.slice(last + 1)}`;
}
