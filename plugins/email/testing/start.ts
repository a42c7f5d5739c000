import { answerControl, RealClock, serveStandIn } from '#core/testing';
import { libraries } from '../libraries.js';
import { controlRoutes } from './control.js';
import type { EmailStandInOptions } from './settings.js';
import type { EmailStandIn } from './stand-in.js';

/** Starts a stand-in of a mail server on free ports of 127.0.0.1. @throws Error when a port is in use, or a package is not installed */
export async function emailStandIn(options: EmailStandInOptions = {}): Promise<EmailStandIn> {
  const { port = 0 } = options;
  for (const name of ['nodemailer', 'postal-mime', 'smtp-server'] as const) await libraries[name]();
  const { EmailStandIn: Played } = await import('./stand-in.js');
  const standIn = new Played(options);
  await standIn.listen(port === false ? 0 : port, options);
  if (port === false) return standIn;
  const clock = new RealClock({ onError: (error) => console.error(error) });
  const control = await serveStandIn(port, clock, (call) => answerControl(controlRoutes, standIn, call));
  standIn.controlledAt(`http://127.0.0.1:${control.port}`, () => control.stop());
  return standIn;
}
