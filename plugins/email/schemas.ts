import { anyString, anyValue, array, named, object, type Payload, record, string } from '#core';

/** A mail to a contact, before it is written. */
export const mailPayload: Payload = {
  name: 'emailMessage',
  summary: 'A message to a contact that a mail server receives as a mail, not a webhook.',
  subscription: 'network',
  isUnlisted: true,
  body: named(
    'EmailMessage',
    object(
      { to: string(), subject: anyString(), date: string(), choose: anyString(), parts: record(anyValue()) },
      {
        name: anyString(),
        in_reply_to: string(),
        references: array(string()),
        automatic: string(),
        language: string(),
      },
    ).example({
      to: 'ann@example.org',
      subject: 'Re: My loan',
      date: '2026-01-05T08:00:00.000Z',
      choose: '',
      parts: { body: { text: 'Your loan is due on Friday', marks: [] }, sections: [] },
    }),
  ),
};
