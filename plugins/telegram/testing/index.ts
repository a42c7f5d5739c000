/** `posthorn/plugins/telegram/testing`: the Telegram Bot API, played on your machine, for tests of bots. */

export { controlSummary } from './control.js';
export { playedTelegram } from './person.js';
export type { TelegramStandIn } from './stand-in.js';
export { telegramStandIn } from './start.js';
