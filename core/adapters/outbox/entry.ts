import { quoted } from '../../json.js';
import type { Clock } from '../../ports/clock.js';
import type { HeldPlace, OutboxAttempt, OutboxChange, OutboxContent, OutboxEntry, OutboxIndex, OutboxRecord } from '../../ports/outbox.js';
import type { MergePatch } from '../../ports/store.js';
import { UnreadRow } from './unread-row.js';

const SEQ_DIGITS = 12;

/** The key of a delivery: `<number>/<seq>`. */
const entryId = (number: string, seq: number): string => `${number}/${String(seq).padStart(SEQ_DIGITS, '0')}`;

/** The seq in the key of a delivery. */
export const seqOf = (id: string): number => Number(id.slice(id.lastIndexOf('/') + 1));

/** The number in the key of a delivery. */
export const numberOf = (id: string): string => id.slice(0, id.lastIndexOf('/'));

type Fields = Readonly<Record<string, unknown>>;

/** Holds the newest committed state of a delivery, so that lists and transactions need not look it up. */
export class Slot {
  /** Its place in the order of creation: its seq, unless another delivery has it. */
  order: number;
  /** Its place in the list of paused deliveries, when it is in one. */
  rank = 0;
  /** Undefined before the delivery is stored, and after it was deleted. */
  current: Entry | undefined;

  constructor(seq: number) {
    this.order = seq;
  }
}

/** A delivery in memory. `JSON.stringify` gives the stored document too, slower than `toText`. */
export class Entry implements OutboxEntry {
  readonly slot: Slot;
  readonly seq: number;
  #record: OutboxRecord | undefined;
  #kept: OutboxContent | UnreadRow;
  #attempts: Readonly<Record<string, OutboxAttempt>>;
  #held: HeldPlace | undefined;

  /** @param kept the content, or the row that has it; without a record, the row that has everything */
  constructor(
    slot: Slot,
    seq: number,
    record: OutboxRecord | undefined,
    kept: OutboxContent | UnreadRow,
    attempts: Readonly<Record<string, OutboxAttempt>>,
    held: HeldPlace | undefined,
  ) {
    this.slot = slot;
    this.seq = seq;
    this.#record = record;
    this.#kept = kept;
    this.#attempts = attempts;
    this.#held = held;
  }

  static added(seq: number, record: OutboxRecord, content: OutboxContent, attempts = NO_ATTEMPTS): Entry {
    return new Entry(new Slot(seq), seq, record, content, attempts, undefined);
  }

  /** @param slot of its previous state, if there is one */
  static unread(row: UnreadRow, slot = new Slot(row.seq)): Entry {
    return new Entry(slot, row.seq, undefined, row, NO_ATTEMPTS, undefined);
  }

  get index(): OutboxIndex {
    return this.#record ?? (this.#kept as UnreadRow);
  }

  get record(): OutboxRecord {
    return this.#record ?? this.#read();
  }

  get content(): OutboxContent {
    const { kept } = this;
    return kept instanceof UnreadRow ? { body: kept.readBody() } : kept;
  }

  get attempts(): Readonly<Record<string, OutboxAttempt>> {
    if (!this.#record) this.#read();
    return this.#attempts;
  }

  get held(): HeldPlace | undefined {
    if (!this.#record) this.#read();
    return this.#held;
  }

  /** The content, or the row that has its body. */
  get kept(): OutboxContent | UnreadRow {
    if (this.#kept instanceof UnreadRow && !this.#kept.hasBody) this.#read();
    return this.#kept;
  }

  #read(): OutboxRecord {
    const row = this.#kept as UnreadRow;
    const { record, content, attempts, held } = partsOf(row.read() as StoredDocument);
    this.#record = record;
    this.#attempts = attempts;
    this.#held = held;
    if (!row.hasBody) this.#kept = content;
    return record;
  }

  /** Made when it is written: in memory it would be the largest field. */
  get id(): string {
    return entryId(this.index.number, this.seq);
  }

  /** The stored document as JSON. The body is most of it, and not serialized again. */
  toText(): string {
    if (!this.#record) return (this.#kept as UnreadRow).toText();
    const { content } = this;
    const { body, ...others } = content;
    if (typeof body !== 'string' || content.of_message) return JSON.stringify(this.#document(content.of_message ? others : content));
    const document = JSON.stringify(this.#document(undefined));
    const rest = JSON.stringify(others);
    return `${document.slice(0, -1)},"content":{"json":${body}${rest === '{}' ? '' : `,${rest.slice(1, -1)}`}}}`;
  }

  toJSON(): object {
    const { body, ...others } = this.content;
    if (others.of_message) return this.#document(others);
    return this.#document(typeof body === 'string' ? { json: JSON.parse(body) as unknown, ...others } : this.content);
  }

  /** The record without fields that follow from others, its content, attempts and place. */
  #document(content: object | undefined): object {
    const { state, run, attempts, kept_bytes: kept, body_bytes: bytes } = this.record;
    // `JSON.stringify` skips undefined fields.
    return {
      id: this.id,
      ...this.record,
      number: undefined,
      state: state === 'queued' ? undefined : state,
      run: run === 1 ? undefined : run,
      attempts: attempts === 0 ? undefined : attempts,
      kept_bytes: kept === bytes ? undefined : kept,
      tries: this.attempts === NO_ATTEMPTS ? undefined : this.attempts,
      held: this.held,
      content: content === NO_CONTENT ? undefined : content,
    };
  }

  /** @param slot of its previous state, if there is one */
  static stored(document: Fields, slot = new Slot(seqOf((document as StoredDocument).id))): Entry {
    const { record, content, attempts, held } = partsOf(document as StoredDocument);
    return new Entry(slot, seqOf((document as StoredDocument).id), record, content, attempts, held);
  }

  /** The delivery after a stored merge patch. */
  patched({ tries, held, content, ...fields }: MergePatch): Entry {
    const record: Record<string, unknown> = { ...this.record };
    for (const [field, value] of Object.entries(fields)) {
      if (value === null) delete record[field];
      else record[field] = value;
    }
    return new Entry(
      this.slot,
      this.seq,
      record as unknown as OutboxRecord,
      content === null ? NO_CONTENT : this.kept,
      tries ? { ...this.attempts, ...tries } : this.attempts,
      held === undefined ? this.held : ((held ?? undefined) as HeldPlace | undefined),
    );
  }
}

const NO_ATTEMPTS: Entry['attempts'] = {};
const NO_CONTENT: OutboxContent = {};

/** A content as it is stored: a body that is JSON text as the value that it describes. */
type StoredContent = OutboxContent & { readonly json?: unknown };

type StoredDocument = Fields & {
  readonly id: string;
  readonly content?: StoredContent;
  readonly tries?: Entry['attempts'];
  readonly held?: HeldPlace;
  readonly body_bytes?: number;
};

function partsOf({ id, content, tries, held, ...record }: StoredDocument): Pick<Entry, 'record' | 'content' | 'attempts' | 'held'> {
  const defaults = { number: numberOf(id), state: 'queued', run: 1, attempts: 0 };
  if (record.body_bytes !== undefined) Object.assign(defaults, { kept_bytes: record.body_bytes });
  return {
    record: Object.assign(defaults, record) as unknown as OutboxRecord,
    content: contentOf(content),
    attempts: tries ?? NO_ATTEMPTS,
    held,
  };
}

function contentOf(stored: StoredContent | undefined): OutboxContent {
  if (!stored) return NO_CONTENT;
  if (!('json' in stored)) return stored;
  const { json, ...others } = stored;
  // The same text again: it is the output of `JSON.stringify`.
  return { body: JSON.stringify(json), ...others };
}

/** The change of a delivery. */
export class EntryChange {
  readonly next: Entry;
  readonly #before: Entry;
  readonly #place: string | undefined;

  constructor(before: Entry, { record, attempt, held, content }: OutboxChange<OutboxEntry>) {
    this.#before = before;
    this.#place = attempt && placeOf(before, attempt);
    this.next = new Entry(
      before.slot,
      before.seq,
      record,
      content === null ? NO_CONTENT : before.kept,
      this.#place === undefined ? before.attempts : { ...before.attempts, [this.#place]: attempt!.ended },
      held === undefined ? before.held : (held ?? undefined),
    );
  }

  /** The merge patch that the journal keeps, as JSON. Fields of the record are values without members. */
  toText(): string {
    const before = this.#before.record as unknown as Fields;
    const after = this.next.record as unknown as Fields;
    let members = '';
    for (const field in after) if (after[field] !== before[field]) members += `,"${field}":${jsonOrNull(after[field])}`;
    for (const field in before) if (!(field in after) && before[field] !== undefined) members += `,"${field}":null`;
    const place = this.#place;
    if (place !== undefined) members += `,"tries":{"${place}":${JSON.stringify(this.next.attempts[place])}}`;
    if (this.next.held !== this.#before.held) members += `,"held":${jsonOrNull(this.next.held)}`;
    if (this.next.kept !== this.#before.kept) members += ',"content":null';
    return `{${members.slice(1)}}`;
  }
}

const jsonOrNull = (value: unknown): string =>
  typeof value === 'string' ? quoted(value) : value === undefined ? 'null' : JSON.stringify(value);

/** The key of an attempt. One that was interrupted is repeated with the same number. */
function placeOf({ attempts }: Entry, { run, n }: { readonly run: number; readonly n: number }): string {
  const place = `${run}.${n}`;
  if (!(place in attempts)) return place;
  for (let interruptions = 1; ; interruptions++) if (!(`${place}.${interruptions}` in attempts)) return `${place}.${interruptions}`;
}

/** Since the last attempt ended, in whole milliseconds: how long the delivery had to wait when its retry was scheduled. */
export function firstWaitOf(dueAt: string | undefined, attempts: Entry['attempts'], { ofRequests }: Pick<Clock, 'ofRequests'>): number {
  const last = Object.values(attempts).at(-1);
  if (dueAt === undefined || !last) return Number.POSITIVE_INFINITY;
  // Durations are real; a clock that can be paused may not have advanced during the attempt.
  const lastedMs = ofRequests ? 0 : (last.duration_ms ?? 0);
  return Math.ceil(Date.parse(dueAt) - Date.parse(last.started_at) - lastedMs);
}
