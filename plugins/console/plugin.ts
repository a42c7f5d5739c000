import Joi from 'joi';
import { definePlugin, missing } from '#core';
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
  /** The command line of Posthorn in texts of the console, for terminals in which npm does not find it. Default: `npx posthorn`. */
  readonly command?: string;
  /** Where the host application signs operators in: a browser that is not signed in shows a link to it. For the option `operators` of the platform. */
  readonly signInUrl?: string;
}

/** The web console: pages at `/console/`, and the sessions with which a browser calls the admin API. Needs the admin API. */
export const console = definePlugin<ConsoleOptions, 'command'>({
  name: 'console',
  version: '0.1.0',
  optional: ['webhooks'],
  causes: {
    ...missing('file', 'page'),
  },
  options: Joi.object({
    sessions: Joi.any(),
    command: Joi.string().default('npx posthorn'),
    signInUrl: Joi.string().uri({ scheme: ['http', 'https'], allowRelative: true }),
  }),
  register(context, { sessions = createConsoleSessions(), command, signInUrl }) {
    return {
      routes: consoleRoutes(sessions, { command, signInUrl }, context),
      admin: consoleAdminRoutes(sessions, context),
      authenticate: sessionAuth(sessions, command, context),
    };
  },
});

export type { PageApi, PageContext, PageEvent } from './page-api.js';
export { type ConsoleSessions, type ConsoleSessionsOptions, createConsoleSessions, type KeptSession } from './sessions.js';
