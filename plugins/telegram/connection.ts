import { createHash } from 'node:crypto';
import type { JsonObject, PluginContext } from '#core';
import { objectOf } from '#core/basics';
import { type ConnectionRecord, ConnectionRefused, type ConnectionType } from '#core/messaging';
import { type Bot, type BotApi, BotApiError } from './bot-api.js';
import { remedyOf } from './errors.js';
import { type BotSettings, botSchema, type TelegramBot } from './options.js';
import { idOf, textOf } from './receiving/inbound.js';
import { positions } from './records.js';

/** The `type` of numbers that this plugin serves. */
export const TELEGRAM = 'telegram';

/** The settings of a connected bot. */
export const settingsOf = ({ settings }: Pick<ConnectionRecord, 'settings'>): BotSettings => settings as unknown as BotSettings;

/** The path of the webhook of a number. */
export const webhookPath = (number: string): string => `/telegram/${number}/updates`;

/** The secret that Telegram sends with each call to the webhook. Made from the token, so that a new token has a new one, and nothing more is stored. */
export const webhookSecret = (number: string, token: string): string => createHash('sha256').update(`${number} ${token}`).digest('hex');

/** Finds the bots of numbers. */
export type Bots = ReturnType<typeof createBots>;

export function createBots({ connections }: Pick<PluginContext, 'connections'>, api: BotApi) {
  async function of(number: string): Promise<Bot | undefined> {
    const connection = await connections.of(number);
    if (!connection) return undefined;
    return { token: await connections.secret(number, 'token'), apiUrl: settingsOf(connection).api_url };
  }

  /** Why Telegram refuses the token that a number has now; undefined if it does not. */
  async function refusal(number: string): Promise<BotApiError | undefined> {
    const bot = await of(number);
    const error =
      bot &&
      (await api.call(bot, 'getMe').then(
        () => undefined,
        (reason: unknown) => reason,
      ));
    return isRefusal(error) ? error : undefined;
  }

  return {
    /** The bot of a number; undefined if the number is not connected. */
    of,

    /**
     * Stops a number if an error means that its token is no longer valid, and Telegram says so again: the call may have had a token that was replaced
     * meanwhile. @returns whether it does
     */
    async stopIfRefused(store: PluginContext['store'], number: string, error: unknown): Promise<boolean> {
      const refused = isRefusal(error) ? await refusal(number) : undefined;
      if (!refused) return false;
      await store.transaction((tx) =>
        connections.stop(tx, number, {
          code: refused.status,
          title: `Telegram refuses the token: ${refused.description}`,
          fix: 'Ask @BotFather for the token of the bot, and connect the number again with it.',
        }),
      );
      return true;
    },
  };
}

const isRefusal = (error: unknown): error is BotApiError =>
  error instanceof BotApiError && remedyOf(error.status, error.description) === 'stop';

/** How a number is connected to Telegram: by the token of a bot. */
export function telegramConnection(
  { publicUrl, connections, log }: Pick<PluginContext, 'publicUrl' | 'connections' | 'log'>,
  api: BotApi,
): ConnectionType {
  return {
    schema: botSchema,
    secrets: ['token'],

    async check(given) {
      const { token, api_url, receive, buttons } = given as unknown as Required<TelegramBot>;
      const apiUrl = api_url.replace(/\/+$/, '');
      if (receive === 'webhook' && !publicUrl().startsWith('https:'))
        throw new ConnectionRefused('Telegram calls only webhooks with https, and publicUrl is not; use polling, or set publicUrl');
      const me = objectOf(await api.call({ token, apiUrl }, 'getMe').catch(refusedBy));
      const [id, username] = [idOf(me.id), textOf(me.username)];
      if (id === undefined || username === undefined || me.is_bot !== true)
        throw new ConnectionRefused('The server does not answer as the Bot API does; check api_url');
      // The id stays the same when the bot gets another name or token.
      return {
        address: `telegram:${id}`,
        name: textOf(me.first_name) ?? username,
        settings: { bot_id: id, username, receive, buttons, api_url: apiUrl } satisfies BotSettings as unknown as JsonObject,
      };
    },

    async disconnected(tx, { number, settings }) {
      tx.in(positions).delete(number);
      const { receive, api_url: apiUrl } = settingsOf({ settings });
      if (receive !== 'webhook') return;
      const bot = { token: await connections.secret(number, 'token'), apiUrl };
      // Telegram would call the address for as long as it has it. The number is disconnected also if Telegram does not answer.
      const failed = (error: unknown) => log.warn('Telegram still has the webhook of a number', { number_id: number, error });
      tx.afterCommit(() => void api.call(bot, 'deleteWebhook').catch(failed));
    },

    view: (connection) => ({
      chat: `https://t.me/${settingsOf(connection).username}`,
      ...(settingsOf(connection).receive === 'webhook' && { webhook: `${publicUrl()}${webhookPath(connection.number)}` }),
    }),
  };
}

function refusedBy(error: unknown): never {
  if (error instanceof BotApiError) throw new ConnectionRefused(`Telegram refuses the token: ${error.description}`);
  throw error;
}
