import Joi from 'joi';
import { definePlugin } from '#core';
import { consoleAdminRoutes } from './admin-routes.js';
import { sessionAuth } from './auth.js';
import { consoleRoutes } from './routes.js';
import { type ConsoleSessions, createConsoleSessions } from './sessions.js';

/** Options of the console. */
export interface ConsoleOptions {
  /**
   * The sessions of browsers, from `createConsoleSessions()`, if they must outlive the platform. `createConsoleSessions({ kept, onChange })`
   * lets them outlive the process. Default: they end with the platform.
   */
  readonly sessions?: ConsoleSessions;
}

/** The web console: pages at `/console/`, and the sessions with which a browser calls the admin API. Needs the admin API. */
export const console = definePlugin<ConsoleOptions>({
  name: 'console',
  version: '0.1.0',
  options: Joi.object({ sessions: Joi.any() }),
  register(context, { sessions = createConsoleSessions() }) {
    return {
      routes: consoleRoutes(sessions, context),
      admin: consoleAdminRoutes(sessions, context),
      adminAuth: sessionAuth(sessions),
    };
  },
});

export type { PageApi, PageContext, PageEvent } from './page-api.js';
export { type ConsoleSessions, type ConsoleSessionsOptions, createConsoleSessions, type KeptSession } from './sessions.js';
