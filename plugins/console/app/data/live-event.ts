/** An event of the platform, as `GET /admin/v1/events` streams it. Events with the name `gap` stand for events that were dropped. */
export interface StreamedEvent {
  readonly id: string;
  readonly at: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each event name has its own data
  readonly data: any;
}

/** An event as tabs of a browser pass it on: `json` is `{"at": …, "name": …, "data": …}`. */
export interface RawEvent {
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

/** Events whose parsed data are kept, because the rows of a list read them several times. */
const MAX_PARSED = 1_000;
const BEFORE_TIME = '{"at":"';
const parsed = new Map<LiveEvent, StreamedEvent>();

/** An event that stays text until a page reads its data: most never do, and as objects 100,000 events take three times the memory. */
export class LiveEvent implements StreamedEvent {
  readonly id: string;
  readonly name: string;
  /** `{"at": …, "name": …, "data": …}` */
  readonly json: string;

  constructor({ id, name, json }: RawEvent) {
    this.id = id;
    this.name = name;
    this.json = json;
  }

  /** Read from the text: lists ask every event for its time. */
  get at(): string {
    return this.json.startsWith(BEFORE_TIME)
      ? this.json.slice(BEFORE_TIME.length, this.json.indexOf('"', BEFORE_TIME.length))
      : this.#read().at;
  }

  // biome-ignore lint/suspicious/noExplicitAny: each event name has its own data
  get data(): any {
    return this.#read().data;
  }

  /** The line of the event in an export, as `posthorn tail --json` prints it. */
  get line(): string {
    return `{"id":${JSON.stringify(this.id)},${this.json.slice(1)}`;
  }

  get raw(): RawEvent {
    return { id: this.id, name: this.name, json: this.json };
  }

  #read(): StreamedEvent {
    const known = parsed.get(this);
    if (known) return known;
    const read = JSON.parse(this.json) as StreamedEvent;
    parsed.set(this, read);
    if (parsed.size > MAX_PARSED) parsed.delete(parsed.keys().next().value!);
    return read;
  }
}

let gaps = 0;

/** An event that stands for events that were dropped. */
export const gapEvent = (reason: string): LiveEvent =>
  new LiveEvent({
    id: `gap-${Date.now()}-${++gaps}`,
    name: 'gap',
    json: JSON.stringify({ at: new Date().toISOString(), name: 'gap', data: { reason } }),
  });

export const isGap = ({ name }: StreamedEvent): boolean => name === 'gap';
