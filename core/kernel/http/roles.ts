import type { Operator } from '../../contract/operator.js';
import { ANY_OPERATOR, defaultRoles, type Permissions } from '../../contract/permission.js';
import { OWNER } from './operators.js';

/** Which permissions each role has. */
export interface Roles {
  /** The names of all roles, `owner` last. */
  readonly names: readonly string[];
  /** The names of all permissions of an operator. */
  of(operator: Pick<Operator, 'roles'>): readonly string[];
  /** Whether an operator may make a call that needs this permission. A call without one needs the role `owner`. */
  allow(operator: Pick<Operator, 'roles'>, permission: string | undefined): boolean;
}

/**
 * Roles of the default permissions, with those of the host application. A role of the host replaces the default one of its name.
 * @throws TypeError when a role has an unknown permission, which would lock its operators out silently
 */
export function createRoles(permissions: Permissions, own: Readonly<Record<string, readonly string[]>> = {}): Roles {
  const all = Object.keys(permissions);
  const sets = new Map<string, ReadonlySet<string>>(
    defaultRoles.map((role) => [role, new Set(all.filter((name) => permissions[name]!.roles.includes(role)))]),
  );
  for (const [role, names] of Object.entries(own)) {
    const unknown = names.find((name) => !Object.hasOwn(permissions, name));
    if (unknown !== undefined)
      throw new TypeError(`operators.roles.${role} has the unknown permission '${unknown}'; there are ${all.sort().join(', ')}`);
    sets.set(role, new Set(names));
  }
  sets.set(OWNER, new Set(all));
  return {
    names: [...sets.keys()],
    of: ({ roles }) => all.filter((name) => roles.some((role) => sets.get(role)?.has(name))),
    allow: ({ roles }, permission) =>
      permission === ANY_OPERATOR ||
      roles.includes(OWNER) ||
      (permission !== undefined && roles.some((role) => sets.get(role)?.has(permission))),
  };
}
