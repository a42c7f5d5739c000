import { createRequire } from 'node:module';
import type { Node } from 'jsonc-parser';

const WHOLE = /^(?:0|[1-9]\d*)$/;

/** The members of an object, in the order in which they are to be shown. */
export type WrittenOrder = (object: Readonly<Record<string, unknown>>, path: readonly string[]) => [string, unknown][];

/**
 * The members of the objects in a JSON text, in the order in which they are written there: people read tables and menus from
 * the top, and an object of JavaScript has its whole numbers first, the smallest before the others.
 */
export function writtenOrder(json: string): WrittenOrder {
  let root: Node | undefined;
  return (object, path) => {
    const members = Object.entries(object);
    if (!members.some(([key]) => WHOLE.test(key))) return members;
    // Loaded with the first answer that needs it.
    const { parseTree }: typeof import('jsonc-parser') = createRequire(import.meta.url)('jsonc-parser');
    root ??= parseTree(json);
    const written = path.reduce(memberOf, root)?.children?.map(keyOf) ?? [];
    // What is written twice is where it stands first, as with other keys.
    const place = new Map(written.toReversed().map((key, after) => [key, -after]));
    return members.toSorted(([a], [b]) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
  };
}

/** Of what is written twice the last counts, as for `JSON.parse`. */
const memberOf = (object: Node | undefined, name: string): Node | undefined =>
  object?.children?.findLast((member) => keyOf(member) === name)?.children?.[1];

const keyOf = ({ children }: Node): string => String(children?.[0]?.value);
