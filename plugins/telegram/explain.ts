import type { AskedMessage, ChainLink, Explanation, PluginContext } from '#core';
import { attemptOf, type Budget } from '#core/messaging';
import { TELEGRAM } from './connection.js';

const MAX_CALLS = 100;

/** Explains what keeps a message from Telegram, or what became of it there. */
export const sendExplanation = ({ connections, deliveries }: PluginContext, budget: Budget): Explanation => ({
  name: 'telegram',
  explain: async () => [],
  async explainSent({ number, message }: AskedMessage) {
    if (number.type !== TELEGRAM) return [];
    const step = (part: Pick<ChainLink, 'state' | 'summary'> & Partial<ChainLink>): ChainLink[] => [
      { name: 'telegram', at: null, fix: null, ...part, evidence: { message: message.uuid, ...part.evidence } },
    ];
    const calls = await deliveries.list({ message: message.uuid, limit: MAX_CALLS });
    const waiting = calls.findLast(({ state }) => !['delivered', 'cancelled', 'dropped'].includes(state));
    if (message.status === 'failed') {
      const { code, details } = message.statuses.flatMap((report) => report.errors ?? []).at(-1) ?? { code: 0, details: 'no reason' };
      return step({ state: 'broken', summary: `Telegram did not take the message: ${details}.`, evidence: { code: String(code) } });
    }
    if (!waiting) {
      if (message.external_id === undefined) return [];
      const more = calls.length > 1 ? ` in ${calls.length} parts` : '';
      const summary = `Telegram took the message${more}. It does not say when a message is delivered or read.`;
      return step({ state: 'ok', summary, evidence: { telegram_id: message.external_id } });
    }
    const stopped = (await connections.of(number.uuid))?.stopped;
    if (stopped) return step({ state: 'broken', at: stopped.at, summary: `The bot is stopped: ${stopped.title}. The message waits.` });
    const hold = budget.holdOf(attemptOf(waiting), number.uuid);
    const evidence = { delivery: waiting.uuid };
    if (!hold) return step({ state: 'waiting', summary: 'The message waits for earlier ones of its conversation, or for its next attempt.', evidence });
    const why = hold.isBlocked ? 'Telegram asked the bot to wait' : 'of the limit of messages (about one in a second to a chat)';
    const at = new Date(hold.at).toISOString();
    return step({ state: 'waiting', at, summary: `The message waits until ${at}, because ${why}.`, evidence });
  },
});
