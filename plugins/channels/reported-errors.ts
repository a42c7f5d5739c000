import Joi from 'joi';
import type { NotificationError } from '#core';

const MOST_ERRORS = 10;
const MOST_CHARACTERS = 1024;
const HREF = 'https://posthorn.invalid/reported-by-the-channel';

const textual = () => Joi.string().max(MOST_CHARACTERS).truncate();
const reported = Joi.object({
  code: Joi.number().integer().required(),
  title: textual().required(),
  details: textual().allow(''),
  href: textual(),
});

/**
 * Why a message has failed, as whoever hears of it is told (Events, rule 4): what the connector says, as far as it can be read,
 * and that it says nothing otherwise.
 */
export function reportedErrors(given: unknown): readonly [NotificationError, ...NotificationError[]] {
  const all: unknown[] = Array.isArray(given) ? given.slice(0, MOST_ERRORS) : [];
  const [first, ...others] = all.flatMap((one): NotificationError[] => {
    const { value, error } = reported.validate(one, { stripUnknown: true });
    return error ? [] : [{ details: '', href: HREF, ...(value as Pick<NotificationError, 'code' | 'title'>) }];
  });
  return [first ?? UNTOLD, ...others];
}

const UNTOLD: NotificationError = {
  code: 131026,
  title: 'Message undeliverable',
  details: 'The channel has reported that the message failed, and not why.',
  href: HREF,
};
