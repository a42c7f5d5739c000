import { answerControl } from '#core/testing';
import { controlRoutes } from './control.js';
import type { TelegramStandInOptions } from './settings.js';
import { TelegramStandIn } from './stand-in.js';

/**
 * Starts a stand-in of the Bot API on a free port of 127.0.0.1; with `port: false`, one that answers the calls of a `ScriptedHttp` (`serve`).
 * @throws Error when the port is in use
 */
export async function telegramStandIn(options: TelegramStandInOptions = {}): Promise<TelegramStandIn> {
  const standIn = new TelegramStandIn(options);
  if (options.port === false) return standIn;
  await standIn.listen(options.port ?? 0, (call) =>
    new URL(call.url).pathname.startsWith('/control/') ? answerControl(controlRoutes, standIn, call) : standIn.answer(call),
  );
  return standIn;
}
