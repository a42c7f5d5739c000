import type { Plugin } from '#core';
import { ownCommand } from '../../core/own-command.js';
import { channels } from '../../plugins/channels/plugin.js';
import { createConsoleSessions, console as posthornConsole } from '../../plugins/console/plugin.js';
import { email } from '../../plugins/email/plugin.js';
import { flows } from '../../plugins/flows/plugin.js';
import { integration } from '../../plugins/integration/plugin.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { messages } from '../../plugins/messages/plugin.js';
import { network } from '../../plugins/network/plugin.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { sms } from '../../plugins/sms/plugin.js';
import { telegram } from '../../plugins/telegram/plugin.js';
import { webchat } from '../../plugins/webchat/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';

/** The plugins of every sandbox. @param sessions they outlive a platform: a reset or an import replaces it, and must not sign browsers out */
export const builtInPlugins = (sessions = createConsoleSessions()): Plugin[] => [
  channels(),
  webhooks(),
  journeys(),
  messages(),
  network(),
  sms(),
  email(),
  telegram(),
  webchat(),
  simulation(),
  flows(),
  integration({ recordCalls: true }),
  posthornConsole({ sessions, command: ownCommand() }),
];
