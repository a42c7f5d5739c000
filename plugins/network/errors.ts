import type { NotificationError } from '#core/messaging';
import type { Rule } from './schemas.js';

/** A placeholder: the local network has no page about its errors. */
const HREF = 'https://posthorn.invalid/network-errors';
const UNDELIVERABLE: NotificationError = {
  code: 131026,
  title: 'Message undeliverable',
  details: 'A rule in the policy of this number made the message fail; see GET /admin/v1/network/numbers/{uuid}/policy',
  href: HREF,
};
export const NOTHING_TO_REACT_TO: NotificationError = {
  code: 131009,
  title: 'Parameter value is not valid',
  details: 'reaction.message_id is not the id of a message of this conversation',
  href: HREF,
};
const REFUSED: NotificationError = {
  code: 131000,
  title: 'Something went wrong',
  details: 'A rule in the policy of this number made the message fail; see GET /admin/v1/network/numbers/{uuid}/policy',
  href: HREF,
};

export const UNSUPPORTED: NotificationError = {
  code: 131051,
  title: 'Unsupported message type',
  details: 'Message type is not currently supported',
  href: HREF,
};

/** The error of a rule, or the default error for the outcome of the rule. */
export const errorOf = ({ error, outcome }: Rule): NotificationError => error ?? (outcome === 'refuse' ? REFUSED : UNDELIVERABLE);

/** The error for a message that is not a template, sent after the window since the contact's last message has ended. */
export const windowOver = (to: string, hours: number): NotificationError => ({
  code: 470,
  title: 'Message failed to send because more than 24 hours have passed since the customer last replied',
  details: `${to} has not written in the last ${hours} hours; send a template instead`,
  href: HREF,
});
