import { advice } from './commands/advice.js';
import { agent } from './commands/agent.js';
import { api } from './commands/api.js';
import { audit } from './commands/audit.js';
import { calls } from './commands/calls.js';
import { channel } from './commands/channel.js';
import { chat } from './commands/chat.js';
import { clock } from './commands/clock.js';
import { 'cloud-api' as cloudApi } from './commands/cloud-api.js';
import { cluster } from './commands/cluster.js';
import type { Command } from './commands/command.js';
import { completion } from './commands/completion.js';
import { conform } from './commands/conform.js';
import { connector } from './commands/connector.js';
import { contacts } from './commands/contacts.js';
import { data } from './commands/data.js';
import { deliveries } from './commands/deliveries.js';
import { doctor } from './commands/doctor.js';
import { email } from './commands/email.js';
import { env } from './commands/env.js';
import { exec } from './commands/exec.js';
import { fault } from './commands/fault.js';
import { find } from './commands/find.js';
import { flow } from './commands/flow.js';
import { init } from './commands/init.js';
import { integration } from './commands/integration.js';
import { journey } from './commands/journey.js';
import { keys } from './commands/keys.js';
import { mcp } from './commands/mcp.js';
import { open } from './commands/open.js';
import { openapi } from './commands/openapi.js';
import { plugin } from './commands/plugin.js';
import { retention } from './commands/retention.js';
import { sandbox } from './commands/sandbox.js';
import { send } from './commands/send.js';
import { sign } from './commands/sign.js';
import { sim } from './commands/sim.js';
import { sms } from './commands/sms.js';
import { state } from './commands/state.js';
import { status } from './commands/status.js';
import { stop } from './commands/stop.js';
import { tail } from './commands/tail.js';
import { telegram } from './commands/telegram.js';
import { test } from './commands/test.js';
import { tour } from './commands/tour.js';
import { trigger } from './commands/trigger.js';
import { verify } from './commands/verify.js';
import { why } from './commands/why.js';

/** Every command, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  sandbox,
  stop,
  status,
  open,
  env,
  send,
  chat,
  tail,
  trigger,
  deliveries,
  contacts,
  retention,
  calls,
  api,
  advice,
  audit,
  find,
  why,
  fault,
  sign,
  verify,
  conform,
  clock,
  state,
  data,
  cluster,
  journey,
  sim,
  test,
  flow,
  tour,
  init,
  channel,
  connector,
  integration,
  'cloud-api': cloudApi,
  sms,
  email,
  telegram,
  openapi,
  keys,
  mcp,
  agent,
  plugin,
  exec,
  doctor,
  completion,
};
