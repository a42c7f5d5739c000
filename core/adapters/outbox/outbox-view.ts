import type { EarlierEntry, OutboxChange, OutboxContent, OutboxEntry, OutboxTransaction } from '../../ports/outbox.js';
import type { LiveWrites } from '../../ports/store.js';
import { type Entries, isHeld } from './entries.js';
import { Entry, EntryChange, type Slot } from './entry.js';

const NO_CHANGES: ReadonlyMap<Slot, Change> = new Map();

/** The state of a delivery after the changes of a transaction; undefined for a deleted one. */
interface Change {
  readonly uuid: string;
  next: Entry | undefined;
}

/** A transaction's view of the outbox: its own changes over the committed state. Conflicts when what it has read has changed meanwhile. */
export class OutboxView implements OutboxTransaction<OutboxEntry> {
  readonly #entries: Entries;
  readonly #writes: LiveWrites<Entry>;
  /** The committed states that this transaction has read. */
  readonly #read: Entry[] = [];
  /** Deliveries that it has not found. */
  #missing: string[] | undefined;
  #readEvents: { readonly webhook: string; readonly event: string; readonly found: Entry | undefined }[] | undefined;
  #readHeld: { readonly webhook: string; readonly limit: number; readonly found: readonly Entry[] }[] | undefined;
  #changed: ReadonlyMap<Slot, Change> = NO_CHANGES;
  /** The deliveries among them that the transaction has released. */
  #released: Slot[] | undefined;

  constructor(entries: Entries, writes: LiveWrites<Entry>) {
    this.#entries = entries;
    this.#writes = writes;
    writes.expect(() => this.#isCurrent());
  }

  get(uuid: string): Entry | undefined {
    const found = this.#entries.get(uuid);
    if (found) return this.#stateOf(found.slot, found);
    for (const change of this.#changed.values()) if (change.uuid === uuid) return change.next;
    return this.#miss(uuid);
  }

  current({ slot, index }: Entry): Entry | undefined {
    // One that has left the outbox may have returned, in another slot.
    return slot.current || this.#changed.has(slot) ? this.#stateOf(slot, slot.current) : this.get(index.uuid);
  }

  #stateOf(slot: Slot, current: Entry | undefined): Entry | undefined {
    const changed = this.#changed.get(slot);
    if (changed) return changed.next;
    if (current) this.#read.push(current);
    return current;
  }

  #miss(uuid: string): undefined {
    this.#missing ??= [];
    this.#missing.push(uuid);
  }

  ofEvent(webhook: string, event: string): Entry | undefined {
    for (const { next } of this.#changed.values()) if (next?.index.webhook === webhook && next.index.event === event) return next;
    const found = this.#entries.ofEvent(webhook, event);
    this.#readEvents ??= [];
    this.#readEvents.push({ webhook, event, found });
    return found && this.current(found);
  }

  held(webhook: string, limit: number): Entry[] {
    // Each of its own changes may remove one of them.
    const enough = limit + this.#changed.size;
    const found = this.#entries.held(webhook, enough);
    this.#readHeld ??= [];
    this.#readHeld.push({ webhook, limit: enough, found });
    if (this.#changed.size === 0) return found;
    const held = found.filter(({ slot }) => !this.#changed.has(slot));
    for (const { next } of this.#changed.values()) if (next?.record.webhook === webhook && isHeld(next)) held.push(next);
    return held.sort((a, b) => a.held!.order - b.held!.order || a.seq - b.seq).slice(0, limit);
  }

  add(record: OutboxEntry['record'], content: OutboxContent, earlier?: EarlierEntry): Entry {
    const entry = Entry.added(earlier?.seq ?? this.#entries.nextSeq(), record, content, earlier?.attempts);
    this.#writes.put(entry, entry.toText());
    this.#change(entry, entry);
    return entry;
  }

  change(entry: Entry, change: OutboxChange<OutboxEntry>): Entry {
    this.#expect(entry);
    const patch = new EntryChange(entry, change);
    if (isHeld(entry) && patch.next.held && patch.next.record.held_at === undefined) {
      this.#released ??= [];
      this.#released.push(entry.slot);
    }
    this.#writes.patch(entry.id, patch as never, patch.toText());
    this.#change(entry, patch.next);
    return patch.next;
  }

  /** Calls `run` for each delivery that the transaction has changed. */
  eachChanged(run: (slot: Slot, entry: Entry | undefined, uuid: string) => void): void {
    for (const [slot, { next, uuid }] of this.#changed) run(slot, next, uuid);
  }

  /** Calls `run` for each delivery that the transaction has released from a pause. */
  eachReleased(run: (slot: Slot, entry: Entry | undefined, uuid: string) => void): void {
    for (const slot of this.#released ?? []) {
      const { next, uuid } = this.#changed.get(slot)!;
      run(slot, next, uuid);
    }
  }

  delete(entry: Entry): void {
    this.#expect(entry);
    this.#writes.delete(entry.id);
    this.#change(entry, undefined);
  }

  #change({ slot, index: { uuid } }: Entry, next: Entry | undefined): void {
    const known = this.#changed.get(slot);
    if (known) {
      known.next = next;
      return;
    }
    if (this.#changed === NO_CHANGES) this.#changed = new Map();
    (this.#changed as Map<Slot, Change>).set(slot, { uuid, next });
  }

  /** A change of a delivery that another transaction has changed since the caller read it is a conflict. */
  #expect(entry: Entry): void {
    if (!this.#changed.has(entry.slot)) this.#read.push(entry);
  }

  #isCurrent(): boolean {
    for (const seen of this.#read) if (seen.slot.current !== seen) return false;
    if (this.#missing?.some((uuid) => this.#entries.get(uuid))) return false;
    if (this.#readEvents?.some(({ webhook, event, found }) => this.#entries.ofEvent(webhook, event) !== found)) return false;
    return this.#readHeld?.every(({ webhook, limit, found }) => isSame(this.#entries.held(webhook, limit), found)) ?? true;
  }
}

const isSame = (a: readonly Entry[], b: readonly Entry[]): boolean => a.length === b.length && a.every((entry, i) => entry === b[i]);
