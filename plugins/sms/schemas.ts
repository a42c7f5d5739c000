import { anyString, integer, named, object, oneOf, type Payload, string } from '#core';

/** A message that is sent to a gateway, or a part of one. */
export const smsPayload: Payload = {
  name: 'smsMessage',
  summary: 'A message to a contact, or a part of one, that an SMS gateway receives in its own form, not a webhook.',
  subscription: 'network',
  isUnlisted: true,
  body: named(
    'SmsMessage',
    object(
      { to: string(), text: anyString(), encoding: oneOf('GSM-7', 'UCS-2'), segments: integer() },
      { file: object({}, { id: string(), link: string() }) },
    ).example({ to: '+15550100', text: 'Your loan is due on Friday', encoding: 'GSM-7', segments: 1 }),
  ),
};
