import { advice } from './commands/advice.js';
import { chat } from './commands/chat.js';
import type { Command } from './commands/command.js';
import { completion } from './commands/completion.js';
import { data } from './commands/data.js';
import { deliveries } from './commands/deliveries.js';
import { doctor } from './commands/doctor.js';
import { env } from './commands/env.js';
import { exec } from './commands/exec.js';
import { flow } from './commands/flow.js';
import { integration } from './commands/integration.js';
import { journey } from './commands/journey.js';
import { openapi } from './commands/openapi.js';
import { plugin } from './commands/plugin.js';
import { sandbox } from './commands/sandbox.js';
import { send } from './commands/send.js';
import { sim } from './commands/sim.js';
import { status } from './commands/status.js';
import { tail } from './commands/tail.js';
import { trigger } from './commands/trigger.js';

/** Every command, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  sandbox,
  status,
  env,
  send,
  chat,
  tail,
  trigger,
  deliveries,
  advice,
  data,
  journey,
  sim,
  flow,
  integration,
  openapi,
  plugin,
  exec,
  doctor,
  completion,
};
