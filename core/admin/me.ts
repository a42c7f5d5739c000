import { ANY_OPERATOR } from '../contract/permission.js';
import { type Route, route } from '../contract/route.js';
import { operatorOf } from '../kernel/http/operators.js';
import type { Roles } from '../kernel/http/roles.js';
import { anyString, array, nullable, object, string } from '../shape.js';

/** The admin route that shows who makes the call, and what this operator may do. */
export const meRoutes = (roles: () => Roles, signOutUrl: string | undefined): Route[] => [
  route({
    method: 'GET',
    path: '/me',
    permission: ANY_OPERATOR,
    accounts: 'none',
    needsNoStore: true,
    shards: 'process',
    summary: 'Shows the operator who makes the call, with roles, accounts and permissions.',
    responses: {
      200: object({
        operator: object({ id: string(), name: string(), roles: array(anyString()), accounts: nullable(array(anyString())) }),
        permissions: array(string()),
        /** Where the host application signs operators out; null if the console does. */
        sign_out_url: nullable(string()),
      }),
    },
    handler({ request }) {
      const { id, name, roles: own, accounts } = operatorOf(request);
      return {
        operator: { id, name, roles: [...own], accounts: accounts ? [...accounts] : null },
        permissions: [...roles().of({ roles: own })],
        sign_out_url: signOutUrl ?? null,
      };
    },
  }),
];
