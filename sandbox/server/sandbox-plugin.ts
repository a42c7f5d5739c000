import { collection, definePlugin } from '#core';
import { referenceRoutes } from '../reference/pages.js';
import { type SandboxStatus, statusRoutes } from './status-route.js';

/** A collection with one document if a sandbox created the state. `state` identifies a state that replaced another. */
export const made = collection<{ readonly id: 'seed'; readonly state?: string }>({ key: 'id', tenant: { global: true } });

interface SandboxServices {
  /** Runs when the store is open, before pending jobs start. */
  beforeWork(): Promise<void>;
  /** The sandbox as `posthorn status` shows it. Absent where the routes are only described. */
  status?(): Promise<SandboxStatus>;
}

/** The sandbox's own plugin: the seed, its status, and the pages of the reference. */
export const sandboxPlugin = ({ beforeWork, status }: SandboxServices) =>
  definePlugin({
    name: 'sandbox',
    version: '0.1.0',
    collections: { made },
    register: () => ({
      start: beforeWork,
      routes: referenceRoutes(),
      admin: statusRoutes(() => status!()),
    }),
  })();
