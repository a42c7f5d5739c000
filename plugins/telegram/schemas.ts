import { anyValue, named, object, type Payload, record, string } from '#core';

/** The call of the Bot API that sends a message, or a part of it. */
export const callPayload: Payload = {
  name: 'telegramCall',
  summary: 'A message to a contact of a Telegram bot. Telegram receives it as a call of its Bot API, not a webhook.',
  subscription: 'network',
  isUnlisted: true,
  body: named(
    'TelegramCall',
    object(
      { method: string(), fields: record(anyValue()) },
      { file: object({ field: string() }, { id: string(), link: string(), filename: string() }) },
    ).example({ method: 'sendMessage', fields: { chat_id: 123456789, text: 'Your loan is due on Friday' } }),
  ),
};
