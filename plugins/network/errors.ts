import type { NotificationError } from '#core/areas';
import type { Rule } from './schemas.js';

/** The local network has no page about its errors; the link is a placeholder. */
const HREF = 'https://posthorn.invalid/network-errors';
const UNDELIVERABLE: NotificationError = {
  code: 131026,
  title: 'Message undeliverable',
  details: 'A rule of the local network applies to this message',
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
  details: 'A rule of the local network applies to this message',
  href: HREF,
};

export const UNSUPPORTED: NotificationError = {
  code: 131051,
  title: 'Unsupported message type',
  details: 'Message type is not currently supported',
  href: HREF,
};

/** The error of a rule, or the network's default for its outcome. */
export const errorOf = ({ error, outcome }: Rule): NotificationError => error ?? (outcome === 'refuse' ? REFUSED : UNDELIVERABLE);

/** The error for a message outside of the window, when only a template can be sent. */
export const windowOver = (to: string, hours: number): NotificationError => ({
  code: 470,
  title: 'Message failed to send because more than 24 hours have passed since the customer last replied',
  details: `${to} has not written in the last ${hours} hours; only a template can be sent`,
  href: HREF,
});
