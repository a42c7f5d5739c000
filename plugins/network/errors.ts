import type { NotificationError } from '#core/areas';
import type { Rule } from './schemas.js';

/** Where errors of the local network are described: here, as there is nowhere else. */
const HREF = 'https://posthorn.invalid/network-errors';
const UNDELIVERABLE: NotificationError = {
  code: 131026,
  title: 'Message undeliverable',
  details: 'A rule of the local network says so',
  href: HREF,
};
export const NOTHING_TO_REACT_TO: NotificationError = {
  code: 131009,
  title: 'Parameter value is not valid',
  details: 'reaction.message_id names no message of this conversation',
  href: HREF,
};
const NOT_TAKEN: NotificationError = {
  code: 131000,
  title: 'Something went wrong',
  details: 'A rule of the local network says so',
  href: HREF,
};

export const UNSUPPORTED: NotificationError = {
  code: 131051,
  title: 'Unsupported message type',
  details: 'Message type is not currently supported',
  href: HREF,
};

/** The error that a rule gives, or what the network says where the rule gives none. */
export const errorOf = ({ error, outcome }: Rule): NotificationError => error ?? (outcome === 'refuse' ? NOT_TAKEN : UNDELIVERABLE);

/** The window of a contact is over: only a template can be sent. */
export const windowOver = (to: string, hours: number): NotificationError => ({
  code: 470,
  title: 'Message failed to send because more than 24 hours have passed since the customer last replied',
  details: `${to} has not written in the last ${hours} hours; only a template can be sent`,
  href: HREF,
});
