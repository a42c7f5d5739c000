import type { SearchPlace } from '../../contract/search.js';
import { InvalidRequest } from '../../errors.js';
import { nullable, string } from '../../shape.js';

/** The fields of a page of a list: records older than `looked_back_to` were not looked at, and `next` continues with them. */
export const pageFields = { looked_back_to: nullable(string()), next: nullable(string()) };

/** The values of `pageFields`. @param rest the last record that was looked at; undefined after the oldest */
export const pageOf = (rest: SearchPlace | undefined) => ({
  looked_back_to: rest?.at ?? null,
  next: rest?.id === undefined ? null : `${rest.at}/${rest.id}`,
});

/** The place in `before`: the `next` of an earlier page, or a date-time. @throws InvalidRequest */
export function placeOf(before: string): SearchPlace {
  const slash = before.indexOf('/');
  const [at, id] = slash < 0 ? [before, ''] : [before.slice(0, slash), before.slice(slash + 1, slash + 201)];
  if (!/^\d{4}-/.test(at) || Number.isNaN(Date.parse(at))) throw invalid('before', 'before must be a date-time, or the next of a page');
  return { at: new Date(at).toISOString(), ...(id !== '' && { id }) };
}

export const invalid = (key: string, message: string): InvalidRequest =>
  new InvalidRequest([{ path: [key], rule: 'any.invalid', message }]);
