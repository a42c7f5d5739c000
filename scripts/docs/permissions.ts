import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import { ANY_OPERATOR, defaultRoles, type Permissions } from '../../core/contract/permission.js';
import { corePermissions } from '../../core/permissions.js';
import { describedPlugins } from '../../sandbox/server/described-plugins.js';
import { routesOf } from './everything.js';
import { table } from './table.js';

/** Each permission with its default roles and the admin calls that need it. */
export async function permissionTable(): Promise<string> {
  const plugins = describedPlugins();
  const permissions: Permissions = Object.assign({}, corePermissions, ...plugins.map(({ manifest }) => manifest.permissions ?? {}));
  const platform = createPlatform({ plugins, admin: { key: 'key-of-a-platform-that-is-never-called' } });
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  const admin = routesOf(server).filter(({ isAdmin }) => isAdmin);
  const callsOf = (permission: string): string =>
    admin
      .filter(({ route }) => route.permission === permission || route.morePermissions?.includes(permission))
      .map(({ route }) => `\`${route.method} ${route.path}\`${route.permission === permission ? '' : ' (some calls)'}`)
      .sort()
      .join(', ');
  const rows = Object.entries(permissions)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { meaning, roles }]) => [
      ...[`\`${name}\``, meaning],
      ...defaultRoles.map((role) => (roles.includes(role) ? 'yes' : '')),
      ...['yes', callsOf(name)],
    ]);
  const any = [`\`${ANY_OPERATOR}\``, 'Calls that concern only the operator.', 'yes', 'yes', 'yes', 'yes', callsOf(ANY_OPERATOR)];
  return table(['Permission', 'Allows', ...defaultRoles, 'owner', 'Calls below `/admin/v1`'], [...rows, any]);
}
