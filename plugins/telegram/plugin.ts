import { beforeCommit, defaultErrors, definePlugin, deliveryQueued } from '#core';
import { adviceOnce, createBudget, createMessageParts } from '#core/messaging';
import { createBotApi } from './bot-api.js';
import { causes } from './causes.js';
import { createBots, TELEGRAM } from './connection.js';
import { createRefusals } from './metrics.js';
import { optionsSchema, type Settings, type TelegramOptions } from './options.js';
import { receivedConsumer } from './receiving/consumer.js';
import { updatesLoop } from './receiving/loop.js';
import { issuedAdvice, positions } from './records.js';
import { webhookRoutes } from './routes.js';
import { callPayload } from './schemas.js';
import { actionConsumer, typing } from './sending/actions.js';
import { telegramDriver } from './sending/driver.js';
import { SENDER, telegramSender } from './sending/sender.js';
import { settled } from './sending/settled.js';

/** Lets contacts write to numbers on Telegram: each number is a bot. */
export const telegram = definePlugin<TelegramOptions, keyof TelegramOptions>({
  name: 'telegram',
  version: '0.1.0',
  causes,
  options: optionsSchema,
  collections: { positions, issuedAdvice },
  register(context, settings: Settings) {
    const api = createBotApi(context);
    const bots = createBots(context, api);
    const budget = createBudget(context.clock);
    const calls = createMessageParts(context, SENDER);
    const refusals = createRefusals();
    return {
      routes: webhookRoutes(context, { bots, refusals }),
      channels: [telegramDriver(context, { api, sends: calls })],
      senders: [telegramSender(context, { bots, budget, settings })],
      loops: [updatesLoop(context, { bots, api })],
      payloads: [callPayload],
      on: [
        settled(context, calls),
        beforeCommit(deliveryQueued, calls.queued),
        typing(context),
        adviceOnce(issuedAdvice, context.clock).dismissals,
      ],
      consumes: [receivedConsumer(context, { bots, api, refusals }), actionConsumer(context, { bots, api })],
      metrics: refusals.define,
      errors: defaultErrors,
      start: () => context.connections.connectAll(TELEGRAM, settings.bots),
    };
  },
});

export type { TelegramBot, TelegramOptions } from './options.js';
