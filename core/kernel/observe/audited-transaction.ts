import { isDeepStrictEqual } from 'node:util';
import type { Collection, CollectionType, Store, StoreTransaction } from '../../ports/store.js';
import type { AuditChange } from './audit-record.js';

// biome-ignore lint/suspicious/noExplicitAny: collections of any document type
type AnyType = CollectionType<any>;
type Document = Readonly<Record<string, unknown>>;

/** Settings that a record lists with their fields; more only count. */
const MAX_LISTED = 20;
const MAX_VALUE_CHARACTERS = 300;
const MASK = '…';
/** Fields of settings that may hold a secret, or what it can be guessed from. */
const SECRET_FIELD = /secret|token|password|key|hash|signature|authorization|header/i;

/** Notes the documents that a transaction of an admin call writes. `raw` does the same as the transaction. */
export class WatchedTransaction {
  readonly #touched = new Map<AnyType, Set<string>>();
  #liveWrites = 0;
  readonly raw: StoreTransaction;

  /** @param outside runs a function outside the call: what follows from its commit is not part of it */
  constructor(raw: StoreTransaction, outside: (run: () => void) => void) {
    this.raw = delegating(raw, {
      in: (type: AnyType) => this.#watched(type, raw.in(type)),
      live: (type: never) => {
        this.#liveWrites++;
        return raw.live!(type);
      },
      afterCommit: (run: () => void) => raw.afterCommit(() => outside(run)),
      ...(raw.onCommit && { onCommit: (run: () => void) => raw.onCommit!(() => outside(run)) }),
    });
  }

  get hasWritten(): boolean {
    return this.#touched.size > 0 || this.#liveWrites > 0;
  }

  /** Compares what is written with what is durable. */
  async changes(tx: StoreTransaction, store: Pick<Store, 'open'>, nameOf: (type: object) => string | undefined): Promise<AuditChange[]> {
    const found: AuditChange[] = [];
    const counts = new Map<string, AuditChange>();
    for (const [type, keys] of this.#touched) {
      const name = nameOf(type);
      if (name === undefined) continue;
      for (const key of keys) {
        const before = (await store.open(type).get(key)) as Document | undefined;
        const after = (await tx.in(type).get(key)) as Document | undefined;
        if (isDeepStrictEqual(before, after)) continue;
        const what = !before ? 'created' : !after ? 'deleted' : 'changed';
        if (type.audited && found.length < MAX_LISTED) {
          const fields = type.audited.flatMap((field) => fieldChange(field, before?.[field], after?.[field]));
          found.push({ records: name, what, count: 1, key, ...(fields.length > 0 && { fields }) });
          continue;
        }
        const counted = counts.get(`${name} ${what}`);
        counts.set(`${name} ${what}`, { records: name, what, count: (counted?.count ?? 0) + 1 });
      }
    }
    return [...found, ...counts.values()];
  }

  #watched(type: AnyType, documents: Collection<Document>): Collection<Document> {
    const touch = (key: string): void => {
      const keys = this.#touched.get(type) ?? new Set();
      this.#touched.set(type, keys.add(key));
    };
    return delegating(documents, {
      put: (document: Document, json?: string) => {
        touch(String(document[type.key]));
        documents.put(document, json);
      },
      delete: (key: string) => {
        touch(key);
        documents.delete(key);
      },
    });
  }
}

/** An object whose methods are those of another one, some of them replaced. A spread would lose those of its class. */
const delegating = <T extends object>(target: T, replaced: object): T =>
  new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(replaced, name)) return replaced[name as never];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

function fieldChange(field: string, before: unknown, after: unknown): NonNullable<AuditChange['fields']> {
  if (isDeepStrictEqual(before, after)) return [];
  const shown = (value: unknown): unknown => (SECRET_FIELD.test(field) ? MASK : shortened(value));
  return [{ field, ...(before !== undefined && { before: shown(before) }), ...(after !== undefined && { after: shown(after) }) }];
}

const URL_PARTS = /^(https?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(\?.*|#.*)?$/is;
/** Short words and versions, such as `webhooks`, `in-box` and `v2`. */
const PLAIN_SEGMENT = /^(?:(?=.{1,15}$)[A-Z]?[a-z]+(?:[-_.][A-Z]?[a-z]+)*|v\d{1,3})$/;

/** A text without secrets. In a URL the user, the query and each part of the path except short words may be one, as with chat services. */
export function masked(name: string, text: string): string {
  if (SECRET_FIELD.test(name)) return MASK;
  const parts = URL_PARTS.exec(text);
  if (!parts) return text;
  const [, scheme, user, host, path = '', rest] = parts;
  const shown = path
    .split('/')
    .map((segment) => (segment === '' || PLAIN_SEGMENT.test(segment) ? segment : MASK))
    .join('/');
  return `${scheme}${user ? `${MASK}@` : ''}${host}${shown}${rest ? `${rest[0]}${MASK}` : ''}`;
}

function shortened(value: unknown): unknown {
  const json = JSON.stringify(value, (name, one: unknown) => {
    return typeof one === 'string' ? masked(name, one) : one;
  });
  return json.length <= MAX_VALUE_CHARACTERS ? (JSON.parse(json) as unknown) : `${json.slice(0, MAX_VALUE_CHARACTERS)}…`;
}
