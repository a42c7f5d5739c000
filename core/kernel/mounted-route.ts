import type { Request } from '@hapi/hapi';
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

/** What a request is called in answers and in the log: hapi's id without the name of the machine. */
export const requestId = ({ info: { id } }: Request): string => `${id.slice(0, id.indexOf(':'))}-${id.slice(id.lastIndexOf(':') + 1)}`;
