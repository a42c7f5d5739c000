import type { JsonObject, PluginContext } from '#core';
import { objectOf } from '#core/basics';
import { adviceOnce, type ConnectionRecord, type Loop, ServiceUnreachable } from '#core/messaging';
import { type Bot, type BotApi, BotApiError } from '../bot-api.js';
import { type Bots, settingsOf, TELEGRAM, webhookPath, webhookSecret } from '../connection.js';
import { issuedAdvice, positions } from '../records.js';
import { pushUpdate, UPDATES } from './queues.js';

/** Telegram answers a poll after this time without updates. */
const POLL_SECONDS = 50;
const POLL_DEADLINE_MS = (POLL_SECONDS + 10) * 1_000;
const MAX_UPDATES = 100;
/** After a week without updates their ids begin anywhere, so an older position says nothing. Telegram keeps updates for a day. */
const POSITION_MS = 6 * 24 * 60 * 60 * 1_000;
/** Between two looks at what Telegram says of the webhook. */
const WEBHOOK_MS = 10 * 60 * 1_000;

/** Receives the updates of each bot: asks for them, or keeps its webhook registered. */
export function updatesLoop(context: PluginContext, { bots, api }: { bots: Bots; api: BotApi }): Loop {
  const { store, clock, publicUrl } = context;
  const once = adviceOnce(issuedAdvice, clock);
  /** The secrets with which this process has registered the webhooks of numbers. */
  const registered = new Map<string, string>();

  return {
    name: 'telegram-updates',
    type: TELEGRAM,
    async run(connection, { signal }) {
      const bot = await bots.of(connection.number);
      if (!bot) return;
      try {
        await (settingsOf(connection).receive === 'polling' ? poll(connection, bot, signal) : keepWebhook(connection, bot, signal));
      } catch (error) {
        if (signal.aborted || (await bots.stopIfRefused(store, connection.number, error))) return;
        throw error;
      }
    },
  };

  /** Asks for updates, and stores them with the position after them, before the next poll tells Telegram that they were received. */
  async function poll({ number }: ConnectionRecord, bot: Bot, signal: AbortSignal): Promise<void> {
    const position = await store.open(positions).get(number);
    const isCurrent = position?.api_url === bot.apiUrl && clock.now().getTime() - Date.parse(position.at) < POSITION_MS;
    const fields = {
      ...{ timeout: POLL_SECONDS, allowed_updates: [...UPDATES] },
      ...(isCurrent && { offset: position.next }),
    };
    const ask = (limit: number) => api.call(bot, 'getUpdates', { ...fields, limit }, { deadlineMs: POLL_DEADLINE_MS, signal });
    const found = await ask(MAX_UPDATES).catch(async (error: unknown) => {
      // People can write messages so long that the bot would never get past them.
      if (error instanceof ServiceUnreachable && error.isTooLong) return ask(1);
      if (!(error instanceof BotApiError) || error.status !== 409) throw error;
      if (!error.description.includes('webhook')) return otherPoller(number, error);
      await api.call(bot, 'deleteWebhook', {}, { signal });
      return [];
    });
    const updates = Array.isArray(found) ? found.map((one) => objectOf(one as JsonObject)) : [];
    const last = updates.reduce((most, { update_id: id }) => (typeof id === 'number' ? Math.max(most, id) : most), -1);
    if (last < 0) return;
    await store.transaction((tx) => {
      for (const update of updates) pushUpdate(tx, number, update);
      tx.in(positions).put({ number, api_url: bot.apiUrl, next: last + 1, at: clock.now().toISOString() });
    });
  }

  /** Another program asks for the updates of the bot: each gets a part of them. */
  async function otherPoller(number: string, error: BotApiError): Promise<never> {
    await store.transaction((tx) =>
      once.issue(tx, `poller:${number}`, {
        name: 'telegram_other_poller',
        severity: 'warning',
        number,
        message: 'Another program asks Telegram for the messages to this bot, so each of the two gets a part of them.',
        fix: 'Stop the other program, or give it a bot of its own: /newbot at @BotFather.',
      }),
    );
    throw error;
  }

  /** Registers the webhook, and looks from time to time if Telegram can call it. */
  async function keepWebhook({ number }: ConnectionRecord, bot: Bot, signal: AbortSignal): Promise<void> {
    const url = `${publicUrl()}${webhookPath(number)}`;
    const info = objectOf(await api.call(bot, 'getWebhookInfo', {}, { signal }));
    const isCurrent = info.url === url && JSON.stringify(info.allowed_updates) === JSON.stringify(UPDATES);
    const secret = webhookSecret(number, bot.token);
    // Also when it is current: the secret that Telegram has cannot be read.
    if (!isCurrent || registered.get(number) !== secret)
      await api.call(bot, 'setWebhook', { url, secret_token: secret, allowed_updates: [...UPDATES] }, { signal });
    registered.set(number, secret);
    const failedAt = typeof info.last_error_date === 'number' ? info.last_error_date * 1_000 : 0;
    if (isCurrent && clock.now().getTime() - failedAt < WEBHOOK_MS) await unreachable(number, url, String(info.last_error_message ?? ''));
    else if (isCurrent) await store.transaction((tx) => once.reset(tx, `webhook:${number}`));
    await clock.sleep(WEBHOOK_MS, signal);
  }

  function unreachable(number: string, url: string, reason: string): Promise<void> {
    return store.transaction((tx) =>
      once.issue(tx, `webhook:${number}`, {
        name: 'telegram_webhook_failing',
        severity: 'warning',
        number,
        message: `Telegram could not call ${url}: ${reason}. It repeats the messages for a day.`,
        fix: 'Make the address reachable from the internet with a valid certificate, or connect the bot with receive=polling.',
      }),
    );
  }
}
