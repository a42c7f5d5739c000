import type { OutboxReader, OutboxScope } from '../../ports/outbox.js';
import type { LiveOwner, MergePatch } from '../../ports/store.js';
import { Entry, EntryChange, type Slot, seqOf } from './entry.js';
import { EntryList, type StoredSlot } from './entry-list.js';

const bySeq = ({ seq }: Entry): number => seq;
const bySettling = ({ record: { settled_at: at } }: Entry): number => (at === undefined ? 0 : Date.parse(at));
const byPlace = ({ held }: Entry): number => held?.order ?? 0;

const isUnsettled = ({ record: { state } }: Entry): boolean => state === 'queued' || state === 'sending' || state === 'retry_wait';
/** Whether a delivery waits for the release of its paused destination. */
export const isHeld = ({ record, held }: Entry): boolean =>
  held !== undefined && record.held_at !== undefined && record.settled_at === undefined;

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
  readonly #all = new EntryList(bySeq);
  readonly #byWebhook = new Map<string, EntryList>();
  readonly #byNumber = new Map<string, EntryList>();
  /** A message usually has one delivery: a list for each would take more memory than the rest. */
  readonly #byMessage = new Map<string, StoredSlot | StoredSlot[]>();
  readonly #settled = new EntryList(bySettling);
  readonly #held = new Map<string, EntryList>();
  readonly #unsettled = { count: 0, bytes: 0, held: 0 };
  #lastSeq = 0;
  /** Called for each delivery whose change the disk has refused, when its previous state is current again. */
  onWithdrawn: (slot: Slot, uuid: string) => void = () => undefined;

  /** The number of the next delivery. Numbers of transactions that fail are not used again. */
  nextSeq(): number {
    return ++this.#lastSeq;
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

  *newest({ webhook, number, message }: OutboxScope = {}, before = Number.POSITIVE_INFINITY): Generator<Entry> {
    if (message !== undefined)
      yield* this.#ofMessage(message)
        .filter(({ seq }) => seq < before)
        .toReversed();
    else yield* this.#list({ webhook, number })?.descending(before) ?? [];
  }

  *oldest({ webhook, number, message }: OutboxScope = {}, after = 0): Generator<Entry> {
    if (message !== undefined) yield* this.#ofMessage(message).filter(({ seq }) => seq > after);
    else yield* this.#list({ webhook, number })?.ascending(after) ?? [];
  }

  documents(): readonly { readonly key: string; readonly toJson: () => string }[] {
    return Array.from(this.oldest(), (entry) => ({ key: entry.id, toJson: () => entry.toText() }));
  }

  settled(): Iterable<Entry> {
    return this.#settled.ascending();
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
    return this.#unsettled;
  }

  put(document: Entry): () => void {
    if (document instanceof Entry) return this.#added(document);
    const { id } = document as { readonly id: string };
    const known = this.#all.withSeq(seqOf(id));
    return known ? this.#change(known, Entry.stored(document, known)) : this.#added(Entry.stored(document));
  }

  #added(entry: Entry): () => void {
    const slot = entry.slot as StoredSlot;
    slot.current = entry;
    this.#add(slot);
    return () => {
      this.#remove(slot);
      this.onWithdrawn(slot, entry.record.uuid);
    };
  }

  patch(id: string, patch: MergePatch | EntryChange): () => void {
    if (patch instanceof EntryChange)
      return patch.next.slot.current ? this.#change(patch.next.slot as StoredSlot, patch.next) : () => undefined;
    const slot = this.#all.withSeq(seqOf(id));
    return slot ? this.#change(slot, slot.current.patched(patch)) : () => undefined;
  }

  delete(id: string): () => void {
    const slot = this.#all.withSeq(seqOf(id));
    if (!slot) return () => undefined;
    const { current } = slot;
    this.#remove(slot);
    return () => {
      slot.current = current;
      this.#add(slot);
      this.onWithdrawn(slot, current.record.uuid);
    };
  }

  #change(slot: StoredSlot, after: Entry): () => void {
    const before = slot.current;
    this.#replace(slot, after);
    return () => {
      this.#replace(slot, before);
      this.onWithdrawn(slot, before.record.uuid);
    };
  }

  #replace(slot: StoredSlot, after: Entry): void {
    this.#exclude(slot);
    slot.current = after;
    this.#include(slot);
  }

  #add(slot: StoredSlot): void {
    const { seq, record } = slot.current;
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    this.#byUuid.set(record.uuid, slot);
    orAdded(this.#byEvent, record.webhook, () => new Map<string, StoredSlot>()).set(record.event, slot);
    this.#all.add(slot);
    orAdded(this.#byWebhook, record.webhook, () => new EntryList(bySeq)).add(slot);
    orAdded(this.#byNumber, record.number, () => new EntryList(bySeq)).add(slot);
    if (record.message !== undefined) this.#addToMessage(record.message, slot);
    this.#include(slot);
  }

  #remove(slot: StoredSlot): void {
    this.#exclude(slot);
    const { record } = slot.current;
    this.#byUuid.delete(record.uuid);
    const events = this.#byEvent.get(record.webhook);
    events?.delete(record.event);
    if (events?.size === 0) this.#byEvent.delete(record.webhook);
    this.#all.remove(slot);
    removeFrom(this.#byWebhook, record.webhook, slot);
    removeFrom(this.#byNumber, record.number, slot);
    if (record.message !== undefined) this.#removeFromMessage(record.message, slot);
    (slot as Slot).current = undefined;
  }

  /** Adds a delivery to the lists and counters that depend on its state. */
  #include(slot: StoredSlot): void {
    const { current } = slot;
    this.#count(current, 1);
    if (current.record.settled_at !== undefined) this.#settled.add(slot);
    if (isHeld(current)) orAdded(this.#held, current.record.webhook, () => new EntryList(byPlace)).add(slot);
  }

  #exclude(slot: StoredSlot): void {
    const { current } = slot;
    this.#count(current, -1);
    if (current.record.settled_at !== undefined) this.#settled.remove(slot);
    if (isHeld(current)) removeFrom(this.#held, current.record.webhook, slot);
  }

  #count(entry: Entry, change: 1 | -1): void {
    if (!isUnsettled(entry)) return;
    const { kept_bytes: kept, body_bytes: bytes = 0 } = entry.record;
    this.#unsettled.count += change;
    this.#unsettled.bytes += change * (kept ?? bytes);
    if (isHeld(entry)) this.#unsettled.held += change;
  }

  #list({ webhook, number }: Pick<OutboxScope, 'webhook' | 'number'>): EntryList | undefined {
    if (webhook !== undefined) return this.#byWebhook.get(webhook);
    return number === undefined ? this.#all : this.#byNumber.get(number);
  }

  #ofMessage(message: string): Entry[] {
    const known = this.#byMessage.get(message);
    const slots = known === undefined ? [] : Array.isArray(known) ? known : [known];
    return slots.map(({ current }) => current).sort((a, b) => a.seq - b.seq);
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

function removeFrom(lists: Map<string, EntryList>, key: string, slot: StoredSlot): void {
  const list = lists.get(key);
  list?.remove(slot);
  if (list?.size === 0) lists.delete(key);
}
