import { createRequire } from 'node:module';
import type { Node } from 'jsonc-parser';

const INTEGER = /^(?:0|[1-9]\d*)$/;

/** Returns the members of an object in display order. */
export type WrittenOrder = (object: Readonly<Record<string, unknown>>, path: readonly string[]) => [string, unknown][];

/**
 * Orders members as in the JSON text, for tables and menus. JavaScript objects do not keep that order: they put integer keys first,
 * sorted by value.
 */
export function writtenOrder(json: string): WrittenOrder {
  let root: Node | undefined;
  return (object, path) => {
    const members = Object.entries(object);
    if (!members.some(([key]) => INTEGER.test(key))) return members;
    // Loaded lazily: few responses need it.
    const { parseTree }: typeof import('jsonc-parser') = createRequire(import.meta.url)('jsonc-parser');
    root ??= parseTree(json);
    const written = path.reduce(memberOf, root)?.children?.map(keyOf) ?? [];
    // A duplicate key is at the position of its first occurrence, as in JavaScript objects.
    const place = new Map(written.toReversed().map((key, after) => [key, -after]));
    return members.toSorted(([a], [b]) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
  };
}

/** The last of several duplicate keys is used, as in `JSON.parse`. */
const memberOf = (object: Node | undefined, name: string): Node | undefined =>
  object?.children?.findLast((member) => keyOf(member) === name)?.children?.[1];

const keyOf = ({ children }: Node): string => String(children?.[0]?.value);
