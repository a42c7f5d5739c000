import type { OutboxIndex, OutboxReader, OutboxScope } from '../../ports/outbox.js';
import type { LiveOwner, MergePatch, StoredText } from '../../ports/store.js';
import { Entry, EntryChange, numberOf, type Slot, seqOf } from './entry.js';
import { type EntryList, listByRank, listBySeq, type StoredSlot } from './entry-list.js';
import { RowScanner } from './unread-row.js';

const newMap = <V>(): Map<string, V> => new Map();

const isUnsettled = ({ index: { state } }: Entry): boolean => state === 'queued' || state === 'sending' || state === 'retry_wait';
/** Whether a delivery waits for the release of its paused destination. */
export const isHeld = (entry: Entry): boolean =>
  entry.index.settled_at === undefined && entry.record.held_at !== undefined && entry.held !== undefined;

/** Deliveries of different shards may have the same seq after a move into one; the second has its place after the first. */
const TIE = 1 / 64;

/** The value of a key, added if the map does not have one. */
function orAdded<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const added = create();
  map.set(key, added);
  return added;
}

/**
 * All deliveries in memory, with the lists and lookups of the outbox. The store applies each change when its transaction commits;
 * reads see committed changes, also before they are durable.
 */
export class Entries implements LiveOwner<Entry>, OutboxReader<Entry> {
  readonly #byUuid = new Map<string, StoredSlot>();
  readonly #byEvent = new Map<string, Map<string, StoredSlot>>();
  readonly #all = listBySeq();
  readonly #byWebhook = new Map<string, EntryList<number>>();
  readonly #byNumber = new Map<string, EntryList<number>>();
  readonly #pending = new Set<StoredSlot>();
  /** A message usually has one delivery: a list for each would take more memory than the rest. */
  readonly #byMessage = new Map<string, StoredSlot | StoredSlot[]>();
  readonly #held = new Map<string, EntryList<StoredSlot>>();
  readonly #unsettled = { bytes: 0, held: 0 };
  /** Unsettled deliveries by destination. */
  readonly #waiting = new Map<string, number>();
  readonly #scanner = new RowScanner();
  #lastSeq = 0;
  /** Called for each delivery whose change the disk has refused, when its previous state is current again. */
  onWithdrawn: (slot: Slot, uuid: string) => void = () => undefined;

  /** The number of the next delivery. Numbers of transactions that fail are not used again. */
  nextSeq(): number {
    return ++this.#lastSeq;
  }

  continueAfter(seq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
  }

  get size(): number {
    return this.#all.size;
  }

  get(uuid: string): Entry | undefined {
    return this.#byUuid.get(uuid)?.current;
  }

  ofEvent(webhook: string, event: string): Entry | undefined {
    return this.#byEvent.get(webhook)?.get(event)?.current;
  }

  newest(scope: OutboxScope = {}, before = Number.POSITIVE_INFINITY): Iterable<Entry> {
    const few = this.#few(scope)?.filter(({ seq }) => seq < before);
    if (few) return few.toReversed();
    return this.#list(scope)?.descending(before) ?? [];
  }

  oldest(scope: OutboxScope = {}, after = 0): Iterable<Entry> {
    return this.#few(scope)?.filter(({ seq }) => seq > after) ?? this.#list(scope)?.ascending(after + 1) ?? [];
  }

  documents(): readonly { readonly key: string; readonly toJson: () => string }[] {
    return Array.from(this.oldest(), (entry) => ({ key: entry.id, toJson: () => entry.toText() }));
  }

  held(webhook: string, limit: number): Entry[] {
    const first: Entry[] = [];
    for (const entry of this.#held.get(webhook)?.ascending() ?? []) {
      if (first.length === limit) break;
      first.push(entry);
    }
    return first;
  }

  unsettled(): { readonly count: number; readonly bytes: number; readonly held: number } {
    return { count: this.#pending.size, ...this.#unsettled };
  }

  waiting(webhook: string): number {
    return this.#waiting.get(webhook) ?? 0;
  }

  put(document: Entry): () => void {
    if (document instanceof Entry) return this.#added(document);
    const { id } = document as { readonly id: string };
    return this.#stored(seqOf(id), numberOf(id), (slot) => Entry.stored(document as never, slot));
  }

  load(text: StoredText, parse: (json: string) => object): void {
    const row = this.#scanner.scan(text, parse);
    if (row) this.#stored(row.seq, row.number, (slot) => Entry.unread(row, slot));
    else this.put(parse(text.bytes.toString('utf8', text.start, text.end)) as Entry);
  }

  #stored(seq: number, number: string, entryIn: (slot?: Slot) => Entry): () => void {
    const known = this.#at(seq, number);
    return known ? this.#change(known, entryIn(known)) : this.#added(entryIn());
  }

  #withId(id: string): StoredSlot | undefined {
    return this.#at(seqOf(id), numberOf(id));
  }

  #at(seq: number, number: string): StoredSlot | undefined {
    for (let order = seq; order < seq + 1; order += TIE) {
      const slot = this.#all.get(order);
      if (slot?.current.index.number === number) return slot;
    }
    return undefined;
  }

  #added(entry: Entry): () => void {
    const slot = entry.slot as StoredSlot;
    slot.current = entry;
    while (this.#all.get(slot.order)) slot.order += TIE;
    this.#add(slot);
    return () => {
      this.#remove(slot);
      this.onWithdrawn(slot, entry.index.uuid);
    };
  }

  patch(id: string, patch: MergePatch | EntryChange): () => void {
    if (patch instanceof EntryChange)
      return patch.next.slot.current ? this.#change(patch.next.slot as StoredSlot, patch.next) : () => undefined;
    const slot = this.#withId(id);
    return slot ? this.#change(slot, slot.current.patched(patch)) : () => undefined;
  }

  delete(id: string): () => void {
    const slot = this.#withId(id);
    if (!slot) return () => undefined;
    const { current } = slot;
    this.#remove(slot);
    return () => {
      slot.current = current;
      this.#add(slot);
      this.onWithdrawn(slot, current.index.uuid);
    };
  }

  #change(slot: StoredSlot, after: Entry): () => void {
    const before = slot.current;
    this.#replace(slot, after);
    return () => {
      this.#replace(slot, before);
      this.onWithdrawn(slot, before.index.uuid);
    };
  }

  #replace(slot: StoredSlot, after: Entry): void {
    this.#exclude(slot);
    slot.current = after;
    this.#include(slot);
  }

  #add(slot: StoredSlot): void {
    const { seq, index } = slot.current;
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    this.#byUuid.set(index.uuid, slot);
    orAdded(this.#byEvent, index.webhook, newMap<StoredSlot>).set(index.event, slot);
    for (const list of this.#listsOf(index)) list.add(slot);
    if (index.message !== undefined) this.#addToMessage(index.message, slot);
    this.#include(slot);
  }

  #remove(slot: StoredSlot): void {
    this.#exclude(slot);
    const { index } = slot.current;
    this.#byUuid.delete(index.uuid);
    const events = this.#byEvent.get(index.webhook);
    events?.delete(index.event);
    if (events?.size === 0) this.#byEvent.delete(index.webhook);
    for (const list of this.#listsOf(index)) list.remove(slot);
    if (this.#byWebhook.get(index.webhook)?.size === 0) this.#byWebhook.delete(index.webhook);
    if (this.#byNumber.get(index.number)?.size === 0) this.#byNumber.delete(index.number);
    if (index.message !== undefined) this.#removeFromMessage(index.message, slot);
    (slot as Slot).current = undefined;
  }

  #listsOf({ webhook, number }: OutboxIndex): EntryList<number>[] {
    return [this.#all, orAdded(this.#byWebhook, webhook, listBySeq), orAdded(this.#byNumber, number, listBySeq)];
  }

  /** Adds a delivery to the lists and counters that depend on its state. */
  #include(slot: StoredSlot): void {
    const { current } = slot;
    if (isUnsettled(current)) this.#pending.add(slot);
    this.#count(current, 1);
    if (isHeld(current)) this.#addHeld(slot, current.held!.order);
  }

  #addHeld(slot: StoredSlot, place: number): void {
    slot.rank = place;
    orAdded(this.#held, slot.current.index.webhook, listByRank).add(slot);
  }

  #exclude(slot: StoredSlot): void {
    const { current } = slot;
    if (isUnsettled(current)) this.#pending.delete(slot);
    this.#count(current, -1);
    if (isHeld(current)) removeFrom(this.#held, current.index.webhook, slot);
  }

  #count(entry: Entry, change: 1 | -1): void {
    if (!isUnsettled(entry)) return;
    const { webhook, kept_bytes: kept, body_bytes: bytes = 0 } = entry.index;
    const waiting = this.waiting(webhook) + change;
    if (waiting === 0) this.#waiting.delete(webhook);
    else this.#waiting.set(webhook, waiting);
    this.#unsettled.bytes += change * (kept ?? bytes);
    if (isHeld(entry)) this.#unsettled.held += change;
  }

  #list({ webhook, number }: OutboxScope): EntryList<number> | undefined {
    return webhook !== undefined ? this.#byWebhook.get(webhook) : number !== undefined ? this.#byNumber.get(number) : this.#all;
  }

  /** The deliveries of a scope that has few, oldest first; undefined if it may have many. */
  #few({ webhook, number, message, outcomes }: OutboxScope): Entry[] | undefined {
    const isPending = outcomes?.every((outcome) => outcome === 'pending') === true;
    if (message === undefined && !isPending) return undefined;
    const entries = message === undefined ? Array.from(this.#pending, ({ current }) => current) : this.#ofMessage(message);
    return entries
      .filter(({ index }) => (webhook === undefined || index.webhook === webhook) && (number === undefined || index.number === number))
      .sort((a, b) => a.seq - b.seq);
  }

  #ofMessage(message: string): Entry[] {
    const known = this.#byMessage.get(message);
    const slots = known === undefined ? [] : Array.isArray(known) ? known : [known];
    return slots.map(({ current }) => current);
  }

  #addToMessage(message: string, slot: StoredSlot): void {
    const known = this.#byMessage.get(message);
    if (known === undefined) this.#byMessage.set(message, slot);
    else this.#byMessage.set(message, Array.isArray(known) ? [...known, slot] : [known, slot]);
  }

  #removeFromMessage(message: string, slot: StoredSlot): void {
    const known = this.#byMessage.get(message);
    const others = Array.isArray(known) ? known.filter((one) => one !== slot) : [];
    if (others.length === 0) this.#byMessage.delete(message);
    else this.#byMessage.set(message, others);
  }
}

function removeFrom(lists: Map<string, EntryList<StoredSlot>>, key: string, slot: StoredSlot): void {
  const list = lists.get(key);
  list?.remove(slot);
  if (list?.size === 0) lists.delete(key);
}
