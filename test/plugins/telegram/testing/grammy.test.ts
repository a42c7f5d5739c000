import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bot, GrammyError, InlineKeyboard, InputFile, webhookCallback } from 'grammy';
import t from 'tap';
import { fetchSender, type Tap } from '#core/testing';
import type { TelegramStandIn } from '../../../../plugins/telegram/testing/index.js';
import { PNG, startStandIn } from './stand-in-under-test.js';

/** The same bot by poll and by webhook, with a public client library. */

const ADA = 7;

/** A bot that greets, sends a picture with a button, and marks the button that was tapped. */
function botOf({ token, url }: TelegramStandIn): Bot {
  const bot = new Bot(token, { client: { apiRoot: url } });
  bot.command('start', (context) => context.reply(`Hello ${context.match}`));
  bot.on('message:text', async (context) => {
    const keyboard = new InlineKeyboard().text('Like', 'like:1').url('Page', 'https://posthorn.test/');
    await context.replyWithPhoto(new InputFile(PNG, 'shop.png'), {
      caption: `<b>${context.message.text}</b>`,
      parse_mode: 'HTML',
      reply_markup: keyboard,
      reply_parameters: { message_id: context.message.message_id },
    });
  });
  bot.callbackQuery(/^like:(\d)$/, async (context) => {
    await context.answerCallbackQuery({ text: 'Thanks' });
    await context.editMessageReplyMarkup({ reply_markup: new InlineKeyboard().text('Liked', 'liked') });
  });
  return bot;
}

/** Waits until the bot has done something. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

async function talk(t: Tap, standIn: TelegramStandIn): Promise<void> {
  await standIn.start(ADA, 'shop');
  await until(() => standIn.sent.length === 1);
  t.match(standIn.sent[0], { method: 'sendMessage', message: { text: 'Hello shop', chat: { id: ADA } } });
  const { message_id } = await standIn.write(ADA, 'a shop');
  await until(() => standIn.sent.length === 2);
  const sent = standIn.sent[1]!;
  t.match(sent, { method: 'sendPhoto', bytes: PNG, message: { caption: 'a shop', reply_to_message: { message_id } } });
  t.match(sent.message.caption_entities, [{ type: 'bold', offset: 0, length: 6 }]);
  await standIn.tap(ADA, sent.message.message_id, 'Like');
  await until(() => standIn.sent[1]!.message.edit_date !== undefined);
  t.match(standIn.queries, [{ answer: { text: 'Thanks' } }]);
  t.strictSame(standIn.sent[1]!.message.reply_markup, { inline_keyboard: [[{ text: 'Liked', callback_data: 'liked' }]] });
}

t.test('a bot of grammY that polls', async (t) => {
  const { standIn } = await startStandIn(t);
  const bot = botOf(standIn);
  bot.catch((error) => t.fail(error.message));
  const polling = bot.start();
  await talk(t, standIn);
  standIn.flood(3, ADA);
  const refused = await bot.api.sendMessage(ADA, 'x').catch((error: unknown) => error);
  t.ok(refused instanceof GrammyError);
  t.match(refused, { error_code: 429, parameters: { retry_after: 3 } });
  await bot.stop();
  await polling;
  const { result } = (await (await fetch(`${standIn.url}/bot${standIn.token}/getWebhookInfo`)).json()) as { result: object };
  t.match(result, { pending_update_count: 0 }, 'every update is confirmed');
});

t.test('a bot of grammY with a webhook and its secret', async (t) => {
  const { standIn, clock } = await startStandIn(t, { send: fetchSender, switches: { webhookUrls: 'any' } });
  const bot = botOf(standIn);
  await bot.init();
  const handle = webhookCallback(bot, 'http', { secretToken: 'the-secret', timeoutMilliseconds: Number.POSITIVE_INFINITY });
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await bot.api.setWebhook(url, { secret_token: 'another', allowed_updates: ['message', 'callback_query'] });
  await standIn.start(ADA, 'early');
  t.match(standIn.deliveries, [{ attempts: [{ status: 401 }], isAcknowledged: false }], 'grammY refuses another secret');
  await bot.api.setWebhook(url, { secret_token: 'the-secret', drop_pending_updates: true });
  await clock.advance(1_000);
  await talk(t, standIn);
  t.match(await bot.api.getWebhookInfo(), { url, pending_update_count: 0, allowed_updates: ['message', 'callback_query'] });
});
