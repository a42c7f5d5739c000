import type Joi from 'joi';
import { array, object, string } from '#core';
import { graphUnreachable } from './errors.js';

/** A page of a list of the network. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly paging?: { readonly cursors?: { readonly after?: string }; readonly next?: string };
}

const cursors = object({}, { after: string() }).unknown();

/** The fields that are read of a page of a list. */
export const pageSchema = (item: Joi.ObjectSchema) =>
  object({ data: array(item.unknown()) }, { paging: object({}, { cursors, next: string() }).unknown() });

/** All items of a list. @throws ServiceUnreachable when a page leads to one that was read before; and what `read` throws */
export async function everyItem<T>(read: (after: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  const seen = new Set<string>();
  for (let after: string | undefined; ; ) {
    const { data, paging } = await read(after);
    items.push(...data);
    after = paging?.next === undefined ? undefined : paging.cursors?.after;
    if (after === undefined) return items;
    if (seen.has(after)) throw graphUnreachable('a page of its list leads to itself', { isPermanent: true });
    seen.add(after);
  }
}
