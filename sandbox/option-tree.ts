/** Options, nested as in `createPlatform` and in the factories of plugins: `{ webhooks: { inboundOnChannel: true } }`. */
export interface OptionTree {
  readonly [name: string]: unknown;
}

const SEGMENT = /^[A-Za-z][\w-]*$/;

/**
 * Nests options that were written as paths: `{ 'webhooks.inboundOnChannel': true }`.
 * @throws Error that names a path which is not words joined with dots, or which contradicts another path
 */
export function treeOfPaths(paths: Readonly<Record<string, unknown>>): OptionTree {
  const tree: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(paths)) {
    const segments = path.split('.');
    if (!segments.every((segment) => SEGMENT.test(segment)))
      throw new Error(`'${path}' is not the path of an option, such as webhooks.inboundOnChannel`);
    let node = tree;
    for (const segment of segments.slice(0, -1)) {
      if (!Object.hasOwn(node, segment)) node[segment] = {};
      const next = node[segment];
      if (!isTree(next)) throw new Error(`'${path}' contradicts another option, which sets ${segment} to ${JSON.stringify(next)}`);
      node = next as Record<string, unknown>;
    }
    node[segments.at(-1)!] = value;
  }
  return tree;
}

/** Merges trees; a later tree wins. Lists are replaced, not joined. */
export function mergedTrees(...trees: readonly (OptionTree | undefined)[]): OptionTree {
  const merged: Record<string, unknown> = {};
  for (const tree of trees) {
    for (const [name, value] of Object.entries(tree ?? {})) {
      const known = Object.hasOwn(merged, name) ? merged[name] : undefined;
      merged[name] = isTree(known) && isTree(value) ? mergedTrees(known, value) : value;
    }
  }
  return merged;
}

/** A tree with other values at some paths; null removes an option. */
export function withChanges(tree: OptionTree, changes: Readonly<Record<string, unknown>>): OptionTree {
  const leaves = new Map(leavesOf(tree));
  for (const [path, value] of Object.entries(changes)) {
    if (value === null) leaves.delete(path);
    else leaves.set(path, value);
  }
  return treeOfPaths(Object.fromEntries(leaves));
}

/** The leaves of a tree, by their paths. */
export function leavesOf(tree: OptionTree, prefix = ''): [path: string, value: unknown][] {
  return Object.entries(tree).flatMap(([name, value]): [string, unknown][] =>
    isTree(value) ? leavesOf(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value]],
  );
}

/** The value at a path; that of the nearest ancestor if the ancestor is not a tree. */
export function valueAt(tree: OptionTree, path: string): unknown {
  let node: unknown = tree;
  for (const segment of path.split('.')) {
    if (!isTree(node)) return node;
    node = Object.hasOwn(node, segment) ? node[segment] : undefined;
  }
  return node;
}

const isTree = (value: unknown): value is OptionTree =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
