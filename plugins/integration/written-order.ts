import { createRequire } from 'node:module';
import type { Node } from 'jsonc-parser';

const WHOLE = /^(?:0|[1-9]\d*)$/;

/** The members of an object, in the order in which they are to be shown. */
export type WrittenOrder = (object: Readonly<Record<string, unknown>>, path: readonly string[]) => [string, unknown][];

/**
 * The members of the objects in a JSON text, in the order in which they are written there: people read tables and menus from
 * the top, and an object of JavaScript has its whole numbers first, the smallest before the others.
 */
export function writtenOrder(json: () => string): WrittenOrder {
  let root: Node | undefined;
  return (object, path) => {
    const members = Object.entries(object);
    if (!members.some(([key]) => WHOLE.test(key))) return members;
    // Loaded with the first answer that needs it.
    const { parseTree, findNodeAtLocation }: typeof import('jsonc-parser') = createRequire(import.meta.url)('jsonc-parser');
    root ??= parseTree(json());
    const written = root && findNodeAtLocation(root, [...path])?.children?.map(({ children }) => String(children?.[0]?.value));
    const place = new Map(written?.map((key, at) => [key, at]));
    return members.toSorted(([a], [b]) => (place.get(a) ?? members.length) - (place.get(b) ?? members.length));
  };
}
