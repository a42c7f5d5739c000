import type { LiveOwner, LiveType, LiveWrites, MergePatch } from '../../../ports/store.js';
import type { Change, TextIn } from '../commit.js';
import { documentIn, parseDocument } from '../files/stored-row.js';

/** A live collection of the store: its name, and the owner of its documents. */
export interface LiveTable {
  readonly name: string;
  readonly key: string;
  readonly owner: LiveOwner<object>;
}

/** A change of a live collection, as the journal and the owner get it: a document, or a patch, or neither for a deletion. */
export class LiveChange {
  readonly change: Change;
  readonly #owner: LiveOwner<object>;
  readonly #document: object | undefined;
  readonly #patch: MergePatch | undefined;

  constructor(owner: LiveOwner<object>, change: Change, document?: object, patch?: MergePatch) {
    this.#owner = owner;
    this.change = change;
    this.#document = document;
    this.#patch = patch;
  }

  /** Applies it to the owner. @returns the function that undoes it */
  apply(): () => void {
    if (this.#document) return this.#owner.put(this.#document);
    return this.#patch ? this.#owner.patch(this.change.key, this.#patch) : this.#owner.delete(this.change.key);
  }
}

/** The changes of a transaction in one live collection. */
export class LiveView implements LiveWrites<object> {
  readonly table: LiveTable;
  /** The declaration of the collection. */
  readonly type: object;
  readonly changes: LiveChange[] = [];
  state: unknown;
  readonly #assertOpen: () => void;
  readonly #conditions: (() => boolean)[] = [];

  constructor(type: object, table: LiveTable, assertOpen: () => void) {
    this.type = type;
    this.table = table;
    this.#assertOpen = assertOpen;
  }

  put(document: object, json = JSON.stringify(document)): void {
    const { key: field, name, owner } = this.table;
    const key = (document as Readonly<Record<string, unknown>>)[field];
    if (typeof key !== 'string' || key === '') throw new TypeError(`a document of ${name} has no ${field}`);
    this.#add(new LiveChange(owner, { collection: name, key, json }, document));
  }

  patch(key: string, patch: MergePatch, json = JSON.stringify(patch)): void {
    const { name, owner } = this.table;
    this.#add(new LiveChange(owner, { collection: name, key, json: undefined, patch: json }, undefined, patch));
  }

  delete(key: string): void {
    const { name, owner } = this.table;
    this.#add(new LiveChange(owner, { collection: name, key, json: undefined }));
  }

  expect(holds: () => boolean): void {
    this.#assertOpen();
    this.#conditions.push(holds);
  }

  isStillValid(): boolean {
    return this.#conditions.every((holds) => holds());
  }

  #add(change: LiveChange): void {
    this.#assertOpen();
    this.changes.push(change);
  }
}

export const liveTable = (name: string, { key }: LiveType<never>, owner: LiveOwner<never>): LiveTable => ({
  name,
  key,
  owner: owner as unknown as LiveOwner<object>,
});

/** Passes a document of a snapshot to its owner. */
export function loadLive(owner: LiveOwner<object>, text: TextIn): void {
  if (owner.load) owner.load(text, parseDocument);
  else owner.put(documentIn(text));
}
