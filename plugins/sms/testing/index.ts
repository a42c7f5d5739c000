/** `posthorn/plugins/sms/testing`: an SMS gateway, played on your machine, for tests of numbers that send and receive SMS. */

export { controlSummary } from './control.js';
export { playedSms } from './person.js';
export type { SmsStandIn } from './stand-in.js';
export { smsStandIn } from './start.js';
