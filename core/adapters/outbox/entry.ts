import type { Clock } from '../../ports/clock.js';
import type { HeldPlace, OutboxAttempt, OutboxChange, OutboxContent, OutboxEntry, OutboxRecord } from '../../ports/outbox.js';
import type { MergePatch } from '../../ports/store.js';
import { type StoredBody, type StoredDelivery, UnreadContent } from './unread-content.js';

type Fields = Readonly<Record<string, unknown>>;

const SEQ_DIGITS = 12;
/** The number of the delivery with this key. */
export const seqOf = (id: string): number => Number(id.slice(id.lastIndexOf('/') + 1));

/** Holds the newest committed state of a delivery, so that lists and transactions need not look it up. */
export class Slot {
  /** Undefined before the delivery is stored, and after it was deleted. */
  current: Entry | undefined;
  /** Set while an attempt runs. */
  running: object | undefined;
}

/** A delivery in memory. `JSON.stringify` gives the stored document too, slower than `toText`. */
export class Entry implements OutboxEntry {
  readonly slot: Slot;
  readonly seq: number;
  readonly record: OutboxRecord;
  readonly kept: OutboxContent | UnreadContent;
  readonly attempts: Readonly<Record<string, OutboxAttempt>>;
  readonly held: HeldPlace | undefined;

  constructor(
    slot: Slot,
    seq: number,
    record: OutboxRecord,
    kept: OutboxContent | UnreadContent,
    attempts: Readonly<Record<string, OutboxAttempt>>,
    held: HeldPlace | undefined,
  ) {
    this.slot = slot;
    this.seq = seq;
    this.record = record;
    this.kept = kept;
    this.attempts = attempts;
    this.held = held;
  }

  static added(seq: number, record: OutboxRecord, content: OutboxContent): Entry {
    return new Entry(new Slot(), seq, record, content, NO_ATTEMPTS, undefined);
  }

  get content(): OutboxContent {
    return this.kept instanceof UnreadContent ? this.kept.read() : this.kept;
  }

  /** Made when it is written: in memory it would be the largest field. */
  get id(): string {
    return `${this.record.number}/${String(this.seq).padStart(SEQ_DIGITS, '0')}`;
  }

  /** The stored document as JSON. The body is most of it, and not serialized again. */
  toText(): string {
    const { body, ...others } = this.content;
    if (typeof body !== 'string') return JSON.stringify(this.#document(this.content));
    const document = JSON.stringify(this.#document(undefined));
    const rest = JSON.stringify(others);
    return `${document.slice(0, -1)},"content":{"json":${body}${rest === '{}' ? '' : `,${rest.slice(1, -1)}`}}}`;
  }

  toJSON(): object {
    const { body, ...others } = this.content;
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
  static stored({ document, body }: StoredDelivery, slot = new Slot()): Entry {
    const { id, content, tries, held, ...record } = document as Fields & {
      readonly id: string;
      readonly content?: StoredContent;
      readonly tries?: Entry['attempts'];
      readonly held?: HeldPlace;
      readonly body_bytes?: number;
    };
    const defaults = { number: id.slice(0, id.lastIndexOf('/')), state: 'queued', run: 1, attempts: 0 };
    if (record.body_bytes !== undefined) Object.assign(defaults, { kept_bytes: record.body_bytes });
    return new Entry(
      slot,
      seqOf(id),
      Object.assign(defaults, record) as unknown as OutboxRecord,
      contentOf(content, body),
      tries ?? NO_ATTEMPTS,
      held,
    );
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

function contentOf(stored: StoredContent | undefined, body: StoredBody | undefined): OutboxContent | UnreadContent {
  if (!stored) return NO_CONTENT;
  if (!('json' in stored)) return stored;
  const { json, ...others } = stored;
  if (body) return new UnreadContent(body, others);
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
    for (const field in after) if (after[field] !== before[field]) members += `,"${field}":${textOf(after[field])}`;
    for (const field in before) if (!(field in after) && before[field] !== undefined) members += `,"${field}":null`;
    const place = this.#place;
    if (place !== undefined) members += `,"tries":{"${place}":${JSON.stringify(this.next.attempts[place])}}`;
    if (this.next.held !== this.#before.held) members += `,"held":${textOf(this.next.held)}`;
    if (this.next.kept !== this.#before.kept) members += ',"content":null';
    return `{${members.slice(1)}}`;
  }
}

const textOf = (value: unknown): string => (value === undefined ? 'null' : JSON.stringify(value));

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
