import { ANY_OPERATOR } from '../contract/permission.js';
import { type Route, route } from '../contract/route.js';
import { OWNER, operatorOf } from '../kernel/http/operators.js';
import type { Roles } from '../kernel/http/roles.js';
import { anyString, array, nullable, object, string } from '../shape.js';

interface MeDeps {
  readonly roles: () => Roles;
  /** The admin routes of the core and of all plugins. */
  readonly routes: () => readonly Route[];
  readonly signOutUrl: string | undefined;
}

/** The admin route that shows who makes the call, and what this operator may do. */
export const meRoutes = ({ roles, routes, signOutUrl }: MeDeps): Route[] => [
  route({
    method: 'GET',
    path: '/me',
    permission: ANY_OPERATOR,
    accounts: 'none',
    needsNoStore: true,
    shards: 'process',
    summary: 'Shows the operator who makes the call, with roles, accounts, permissions and refused calls.',
    responses: {
      200: object({
        operator: object({ id: string(), name: string(), roles: array(anyString()), accounts: nullable(array(anyString())) }),
        permissions: array(string()),
        /**
         * The calls that the operator may not make, each with the permission that it needs: `owner` if it needs this role, null if it concerns
         * all accounts and the operator is restricted to some.
         */
        refused: array(object({ method: string(), path: string(), permission: nullable(string()) })),
        /** Where the host application signs operators out; null if the console does. */
        sign_out_url: nullable(string()),
      }),
    },
    handler({ request }) {
      const operator = operatorOf(request);
      const { id, name, accounts } = operator;
      return {
        operator: { id, name, roles: [...operator.roles], accounts: accounts ? [...accounts] : null },
        permissions: [...roles().of(operator)],
        refused: routes()
          .filter(({ permission, accounts: scope }) => !roles().allow(operator, permission) || (accounts && scope === undefined))
          .map(({ method, path, permission = OWNER }) => ({
            method,
            path,
            permission: roles().allow(operator, permission) ? null : permission,
          })),
        sign_out_url: signOutUrl ?? null,
      };
    },
  }),
];
