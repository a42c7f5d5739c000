import { collection, definePlugin, permit } from '#core';
import { ownCommand } from '../../core/own-command.js';
import { sandboxCauses } from '../causes.js';
import { type McpAccess, mcpRoutes } from '../mcp/mcp-routes.js';
import { referenceRoutes } from '../reference/pages.js';
import { chatPage } from './chat-page.js';
import { type SandboxStatus, statusRoutes } from './status-route.js';

/** A collection with one document if a sandbox created the state. `state` identifies a state that replaced another. */
export const made = collection<{ readonly id: 'seed'; readonly state?: string }>({ key: 'id', tenant: { global: true } });

interface SandboxServices {
  /** Runs when the store is open, before pending jobs start. */
  beforeWork(): Promise<void>;
  /** The sandbox as `posthorn status` shows it. Absent where the routes are only described. */
  status?(): Promise<SandboxStatus>;
  /** Likewise. */
  access?(): McpAccess & { readonly publicUrl?: string | undefined };
}

/** The sandbox's own plugin: the seed, its status, the pages of the reference, and MCP. */
export const sandboxPlugin = ({ beforeWork, status, access }: SandboxServices) =>
  definePlugin({
    name: 'sandbox',
    version: '0.1.0',
    permissions: {
      'sandbox.access': permit.owners('Read the tokens, secrets and keys of a sandbox.'),
    },
    causes: sandboxCauses.sandbox,
    collections: { made },
    register: (context) => ({
      start: beforeWork,
      routes: [...referenceRoutes(() => access?.().publicUrl), ...mcpRoutes(() => access!()), chatPage(context, ownCommand())],
      admin: statusRoutes(() => status!()),
    }),
  })();
