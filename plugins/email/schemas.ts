import { anyString, anyValue, array, named, object, oneOf, type Payload, record, string, type TypeOf } from '#core';
import type { TurnParts } from '#core/messaging';

const storedMail = object(
  { to: string(), subject: anyString(), date: string(), choose: anyString(), parts: record(anyValue()) },
  {
    ...{ name: anyString(), in_reply_to: string(), references: array(string()), language: string() },
    automatic: oneOf('auto-generated', 'auto-replied'),
  },
);

/** The body of a delivery: a mail to a contact, before it is written. */
export type StoredMail = Omit<TypeOf<typeof storedMail>, 'parts'> & { readonly parts: TurnParts };

const example = {
  ...{ to: 'ann@example.org', subject: 'Re: My loan', date: '2026-01-05T08:00:00.000Z', choose: '' },
  parts: { body: { text: 'Your loan is due on Friday', marks: [] }, sections: [] },
};

export const mailPayload: Payload = {
  ...{ name: 'emailMessage', subscription: 'network', isUnlisted: true },
  summary: 'A message to a contact that a mail server receives as a mail, not a webhook.',
  body: named('EmailMessage', storedMail.example(example)),
};
