import type { Server } from '@hapi/hapi';
import type { ErrorShape } from '../../contract/plugin.js';
import type { Route } from '../../contract/route.js';

export const ADMIN_PREFIX = '/admin/v1';

/** The routes of a plugin on a server. */
export interface Area {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly admin: readonly Route[];
  readonly roots: readonly string[];
  readonly errors: ErrorShape | undefined;
}

/** The areas of a platform on a server. */
export interface AreasOfServer {
  readonly areas: readonly Area[];
  /** Whether it has the admin API. */
  readonly hasAdmin: boolean;
  /** Whether the server has no other routes. */
  readonly isAlone?: boolean;
}

/** Whether every path below the prefix, or of the server, is the platform's. */
export const isWhole = ({ realm }: Server, { isAlone }: AreasOfServer): boolean =>
  isAlone === true || realm.modifiers.route.prefix !== undefined;

/** On a server without a route prefix: the first segments of the platform's paths. Unknown paths below them get the platform's 404. */
export function firstSegments({ areas, hasAdmin }: AreasOfServer): string[] {
  const firsts = areas.flatMap((area) => area.routes.map((route) => `/${route.path.split('/')[1]}`));
  return [...new Set([...firsts, ...(hasAdmin ? [ADMIN_PREFIX] : [])])];
}
