import { mergePatch } from '../../core/adapters/store/files/merge-patch.js';
import type { LiveOwner, MergePatch } from '../../core/ports/store.js';

/** Keeps the documents of a live collection as plain objects. */
export class LiveDocuments<T extends { readonly id: string }> implements LiveOwner<T> {
  readonly all = new Map<string, T>();

  put(document: T): () => void {
    return this.#set(document.id, document);
  }

  patch(key: string, patch: MergePatch): () => void {
    const before = this.all.get(key);
    return before ? this.#set(key, mergePatch(before, patch) as T) : () => undefined;
  }

  delete(key: string): () => void {
    return this.#set(key, undefined);
  }

  #set(key: string, document: T | undefined): () => void {
    const before = this.all.get(key);
    if (document) this.all.set(key, document);
    else this.all.delete(key);
    return () => void this.#set(key, before);
  }

  get sorted(): T[] {
    return [...this.all.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}
