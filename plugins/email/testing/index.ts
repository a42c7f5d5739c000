/** `posthorn/plugins/email/testing`: a mail server with a mailbox, played on your machine, for tests of numbers that are e-mail addresses. */

export { controlSummary } from './control.js';
export { playedEmail } from './person.js';
export type { EmailStandIn } from './stand-in.js';
export { emailStandIn } from './start.js';
