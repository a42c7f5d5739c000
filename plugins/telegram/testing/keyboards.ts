import { badRequest } from './api-error.js';
import type { Parameters } from './call.js';
import type { Keys, ReplyKey } from './chats.js';
import { linkOf } from './formatted-text.js';
import type { TelegramButton, TelegramKeyboard } from './types.js';

const MAX_DATA_BYTES = 64;
/** More buttons, or more bytes of all their data, are too long. */
const MAX_BUTTONS = 100;
const MAX_KEYBOARD_BYTES = 10_240;
const MAX_PER_ROW = 8;

/** `reply_markup` of a call: buttons below the message, keys below the input field, or neither. */
export interface Markup {
  readonly inline?: TelegramKeyboard;
  readonly keys?: Keys | 'removed';
}

/** Reads and checks `reply_markup`. @throws ApiError */
export function markupOf(parameters: Parameters): Markup {
  const value = parameters.json('reply_markup', "can't parse reply keyboard markup JSON object");
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest('object expected as reply markup');
  const markup = value as Readonly<Record<string, unknown>>;
  if (markup.inline_keyboard !== undefined) return inlineOf(markup.inline_keyboard);
  if (markup.keyboard !== undefined) {
    const rows = rowsOf(markup.keyboard, 'keyboard', 'ReplyKeyboardMarkup');
    return { keys: rows.map((row) => row.map(keyOf)) };
  }
  return markup.remove_keyboard === true ? { keys: 'removed' } : {};
}

function inlineOf(value: unknown): Markup {
  const rows = rowsOf(value, 'inline_keyboard', 'InlineKeyboardMarkup')
    .filter((row) => row.length > 0)
    .map((row) => row.map(buttonOf));
  const buttons = rows.flat();
  const isTooLong = buttons.length > MAX_BUTTONS || rows.some((row) => row.length > MAX_PER_ROW);
  if (isTooLong || Buffer.byteLength(JSON.stringify(rows)) > MAX_KEYBOARD_BYTES) throw badRequest('reply markup is too long');
  return buttons.length > 0 ? { inline: { inline_keyboard: rows } } : {};
}

function rowsOf(value: unknown, field: string, type: string): unknown[][] {
  if (!Array.isArray(value)) throw badRequest(`field "${field}" of the ${type} must be an Array`);
  if (!value.every((row) => Array.isArray(row))) throw badRequest(`field "${field}" of the ${type} must be an Array of Arrays`);
  return value;
}

function keyOf(value: unknown): ReplyKey {
  const { text = value, request_contact: asks } = Object(value) as Record<string, unknown>;
  if (typeof text !== 'string' || text === '') throw badRequest('can\'t parse keyboard button: Field "text" must be of type String');
  return { text, ...(asks === true && { request_contact: true }) };
}

function buttonOf(value: unknown): TelegramButton {
  const unparsed = (reason: string) => badRequest(`can't parse inline keyboard button: ${reason}`);
  if (typeof value !== 'object' || value === null) throw unparsed('InlineKeyboardButton must be an Object');
  const { text, url, callback_data: data, web_app: app } = value as Readonly<Record<string, unknown>>;
  if (typeof text !== 'string') throw unparsed('Field "text" must be of type String');
  if (text.trim() === '') throw badRequest('inline keyboard button text must be non-empty');
  if (url !== undefined) {
    const link = linkOf(String(url));
    if (link === undefined) throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`);
    return { text, url: link };
  }
  if (data !== undefined) {
    const bytes = Buffer.byteLength(String(data));
    if (typeof data !== 'string' || bytes === 0 || bytes > MAX_DATA_BYTES) throw badRequest('BUTTON_DATA_INVALID');
    return { text, callback_data: data };
  }
  if (app !== undefined) {
    const page = String((Object(app) as { url?: unknown }).url);
    if (!page.startsWith('https://') || linkOf(page) === undefined)
      throw badRequest(`inline keyboard button Web App URL '${page}' is invalid: Only HTTPS links are allowed`);
    return { text, web_app: { url: page } };
  }
  throw unparsed('Text buttons are unallowed in the inline keyboard');
}
