import { answerControl } from '#core/testing';
import { controlRoutes } from './control.js';
import type { SmsStandInOptions } from './settings.js';
import { SmsStandIn } from './stand-in.js';

/**
 * Starts a stand-in of an SMS gateway on a free port of 127.0.0.1; with `port: false`, one that answers the calls of a `ScriptedHttp` (`serve`).
 * @throws Error when the port is in use
 */
export async function smsStandIn(options: SmsStandInOptions): Promise<SmsStandIn> {
  const standIn = new SmsStandIn(options);
  if (options.port === false) return standIn;
  await standIn.listen(options.port ?? 0, (call) =>
    new URL(call.url).pathname.startsWith('/control/') ? answerControl(controlRoutes, standIn, call) : standIn.answer(call),
  );
  return standIn;
}
