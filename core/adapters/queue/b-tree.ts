import sortedBtree from 'sorted-btree';

/**
 * A map in the order of its keys: insertion, removal and search take O(log n). The order must be total, because the tree keeps one of two
 * keys that compare as equal.
 */
// The package is CommonJS: Node has the class as a property of the default import. Vitest, which loads a linked checkout itself, has it as
// the default import.
export const BTree = sortedBtree.default ?? (sortedBtree as unknown as typeof sortedBtree.default);
