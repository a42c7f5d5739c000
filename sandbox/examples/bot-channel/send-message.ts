import type { HttpClient } from 'posthorn/ports';
import { idOf, type Key } from './bot-messages.js';

/** The channel's id of the message, or what went wrong. A final problem would occur again in a retry. */
type Outcome = { readonly sentAs: string } | { readonly problem: string; readonly isFinal: boolean };

/** Sends a text with keys. */
export async function sendMessage(
  http: Pick<HttpClient, 'send'>,
  api: string,
  chat: string,
  text: string,
  keys: readonly Key[],
): Promise<Outcome> {
  const body = JSON.stringify({ chat_id: chat, text, reply_markup: { inline_keyboard: keys.map((key) => [key]) } });
  const headers = { 'content-type': 'application/json' };
  const outcome = await http.send({
    method: 'POST',
    url: `${api}/sendMessage`,
    headers,
    body,
    deadlineMs: 10_000,
    maxResponseBytes: 65_536,
  });
  if (outcome.kind !== 'response') return { problem: `the bot API does not respond: ${outcome.kind}`, isFinal: false };
  if (outcome.status !== 200) return { problem: `the bot API responded ${outcome.status}`, isFinal: outcome.status < 500 };
  return { sentAs: idOf(chat, JSON.parse(Buffer.from(outcome.body).toString()).result.message_id) };
}
