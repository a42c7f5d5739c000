import type { OutboxChange, OutboxContent, OutboxEntry, OutboxTransaction } from '../../ports/outbox.js';
import type { LiveWrites } from '../../ports/store.js';
import { type Entries, isHeld } from './entries.js';
import { Entry, EntryChange } from './entry.js';

/** A transaction's view of the outbox: its own changes over the committed state. Conflicts when what it has read has changed meanwhile. */
export class OutboxView implements OutboxTransaction<OutboxEntry> {
  readonly #entries: Entries;
  readonly #writes: LiveWrites<Entry>;
  /** The committed state that this transaction has read, by uuid. */
  #read: Map<string, Entry | undefined> | undefined;
  #readEvents: { readonly webhook: string; readonly event: string; readonly found: Entry | undefined }[] | undefined;
  #readHeld: { readonly webhook: string; readonly limit: number; readonly found: readonly Entry[] }[] | undefined;
  /** Its own changes by uuid; undefined for a deleted delivery. */
  readonly #changed = new Map<string, Entry | undefined>();
  /** The deliveries among them that the transaction has released. */
  #released: string[] | undefined;

  constructor(entries: Entries, writes: LiveWrites<Entry>) {
    this.#entries = entries;
    this.#writes = writes;
    writes.expect(() => this.#isCurrent());
  }

  get(uuid: string): Entry | undefined {
    if (this.#changed.has(uuid)) return this.#changed.get(uuid);
    const found = this.#entries.get(uuid);
    this.#read ??= new Map();
    if (!this.#read.has(uuid)) this.#read.set(uuid, found);
    return found;
  }

  ofEvent(webhook: string, event: string): Entry | undefined {
    for (const entry of this.#changed.values()) if (entry?.record.webhook === webhook && entry.record.event === event) return entry;
    const found = this.#entries.ofEvent(webhook, event);
    this.#readEvents ??= [];
    this.#readEvents.push({ webhook, event, found });
    return found && this.get(found.record.uuid);
  }

  held(webhook: string, limit: number): Entry[] {
    // Each of its own changes may remove one of them.
    const enough = limit + this.#changed.size;
    const found = this.#entries.held(webhook, enough);
    this.#readHeld ??= [];
    this.#readHeld.push({ webhook, limit: enough, found });
    if (this.#changed.size === 0) return found;
    const held = found.filter(({ record }) => !this.#changed.has(record.uuid));
    for (const entry of this.#changed.values()) if (entry?.record.webhook === webhook && isHeld(entry)) held.push(entry);
    return held.sort((a, b) => a.held!.order - b.held!.order || a.seq - b.seq).slice(0, limit);
  }

  add(record: OutboxEntry['record'], content: OutboxContent): Entry {
    const entry = Entry.added(this.#entries.nextSeq(), record, content);
    this.#writes.put(entry, entry.toText());
    this.#changed.set(record.uuid, entry);
    return entry;
  }

  change(entry: OutboxEntry, change: OutboxChange<OutboxEntry>): Entry {
    this.#expect(entry);
    const patch = new EntryChange(entry as Entry, change);
    if (isHeld(entry as Entry) && patch.next.held && patch.next.record.held_at === undefined) {
      this.#released ??= [];
      this.#released.push(entry.record.uuid);
    }
    this.#writes.patch(entry.id, patch as never);
    this.#changed.set(entry.record.uuid, patch.next);
    return patch.next;
  }

  /** Calls `run` for each delivery that the transaction has changed. */
  eachChanged(run: (entry: Entry | undefined, uuid: string) => void): void {
    this.#changed.forEach(run);
  }

  /** Calls `run` for each delivery that the transaction has released from a pause. */
  eachReleased(run: (entry: Entry | undefined, uuid: string) => void): void {
    for (const uuid of this.#released ?? []) run(this.#changed.get(uuid), uuid);
  }

  delete(entry: OutboxEntry): void {
    this.#expect(entry);
    this.#writes.delete(entry.id);
    this.#changed.set(entry.record.uuid, undefined);
  }

  /** A change of a delivery that another transaction has changed since the caller read it is a conflict. */
  #expect(entry: OutboxEntry): void {
    const { uuid } = entry.record;
    if (this.#changed.has(uuid)) return;
    this.#read ??= new Map();
    if (!this.#read.has(uuid)) this.#read.set(uuid, entry as Entry);
  }

  #isCurrent(): boolean {
    if (this.#read) for (const [uuid, seen] of this.#read) if (this.#entries.get(uuid) !== seen) return false;
    if (this.#readEvents?.some(({ webhook, event, found }) => this.#entries.ofEvent(webhook, event) !== found)) return false;
    return this.#readHeld?.every(({ webhook, limit, found }) => isSame(this.#entries.held(webhook, limit), found)) ?? true;
  }
}

const isSame = (a: readonly Entry[], b: readonly Entry[]): boolean => a.length === b.length && a.every((entry, i) => entry === b[i]);
