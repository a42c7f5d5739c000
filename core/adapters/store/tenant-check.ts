import {
  type Collection,
  type CollectionType,
  type LiveType,
  type LiveWrites,
  type MergePatch,
  pagesOf,
  type Store,
  type StoreTransaction,
  type TenantRule,
} from '../../ports/store.js';
import { type TenantHint, type TenantType, tenantHint, tenantOfAccount, tenantOfNumber } from '../../ports/tenant.js';

/** A transaction writes documents of two tenants, which may be in two shards of a cluster. */
export class TenantsMixed extends Error {
  override readonly name = 'TenantsMixed';
}

interface Written {
  readonly type: TenantType;
  readonly key: string;
  /** Undefined for a deletion and for a patch. */
  readonly document: object | undefined;
}

/** A document and its tenant. */
interface Belonging {
  readonly collection: string;
  readonly key: string;
  readonly tenant: string;
}

type Hints = Map<TenantType, Map<string, TenantHint>>;

const INSTALLATION = 'the whole installation';
/** References of references; more would be a cycle. */
const MAX_DEPTH = 20;

/**
 * Refuses transactions of a store that write documents of two tenants, or of a tenant and the whole installation: in a cluster they may be in two
 * shards. For tests, because it remembers the tenant of every document. Collections that do not declare how their tenant is found are not checked.
 */
export function tenantChecked(store: Store): Store {
  const check = new TenantCheck(store);
  const methods: Partial<Store> = {
    define(name, type) {
      check.define(name, type as TenantType, true);
      store.define(name, type);
    },
    ...(store.defineLive && {
      defineLive(name, type, owner) {
        check.define(name, type as TenantType, false);
        store.defineLive!(name, type, owner);
      },
    }),
    async start() {
      await store.start();
      await check.load();
    },
    transaction: (work) => store.transaction((tx) => check.run(tx, work)),
  };
  return withMethods(store, methods);
}

class TenantCheck {
  readonly #store: Store;
  readonly #names = new Map<TenantType, string>();
  readonly #plain = new Set<CollectionType<object>>();
  /** The hint of each stored document. */
  readonly #stored: Hints = new Map();

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param isPlain false for a live collection, whose keys name the tenants */
  define(name: string, type: TenantType, isPlain: boolean): void {
    this.#names.set(type, name);
    if (isPlain) this.#plain.add(type as unknown as CollectionType<object>);
  }

  async load(): Promise<void> {
    for (const type of this.#plain)
      for await (const page of pagesOf(this.#store, type))
        for (const document of page) this.#remember({ type, key: keyOf(type, document), document });
  }

  /** Runs the work of a transaction, and checks what it wrote. */
  async run<T>(tx: StoreTransaction, work: (tx: StoreTransaction) => Promise<T> | T): Promise<T> {
    const written: Written[] = [];
    let isAllowed = false;
    let pending = 0;
    const watched = withMethods(tx, {
      ...watching(tx, written),
      acrossTenants() {
        isAllowed = true;
      },
      beforeCommit(run) {
        pending++;
        tx.beforeCommit(async () => {
          await run();
          pending--;
        });
      },
    });
    const result = await work(watched);
    const check = (): void => {
      // Callbacks may write, and may add others.
      if (pending > 0) {
        tx.beforeCommit(check);
        return;
      }
      if (!isAllowed) this.#verify(written);
      const remember = () => {
        for (const one of written) this.#remember(one);
      };
      if (tx.onCommit) tx.onCommit(remember);
      else tx.afterCommit(remember);
    };
    if (written.length > 0 || pending > 0) tx.beforeCommit(check);
    return result;
  }

  /** @throws TenantsMixed */
  #verify(written: readonly Written[]): void {
    const own: Hints = new Map();
    for (const one of written) if (one.document) hintsIn(own, one.type).set(one.key, hintOf(one));
    let first: Belonging | undefined;
    for (const { type, key, document } of written) {
      if (!type.tenant) continue;
      const hint = document
        ? hintOf({ type, key, document })
        : (this.#stored.get(type)?.get(key) ?? hintOf({ type, key, document: { [type.key]: key } }));
      for (const tenant of this.#tenantsOf(hint, own)) {
        const collection = this.#names.get(type) ?? 'a collection that is not defined';
        first ??= { collection, key, tenant };
        if (tenant === first.tenant) continue;
        throw new TenantsMixed(
          `a transaction writes ${first.collection} ${first.key} of ${first.tenant} and ${collection} ${key} of ${tenant}: in a cluster they may be in two shards. Use a transaction for each`,
        );
      }
    }
  }

  #tenantsOf(hint: TenantHint, own: Hints, depth = 0): readonly string[] {
    if (!hint || depth > MAX_DEPTH) return [];
    if (hint.kind === 'global') return [INSTALLATION];
    if (hint.kind === 'account') return [tenantOfAccount(hint.account)];
    if (hint.kind === 'number') return [this.#tenantOf(hint.number, own)];
    const find = (type: TenantType, key: string): TenantHint => own.get(type)?.get(key) ?? this.#stored.get(type)?.get(key);
    if (hint.kind === 'same') return this.#tenantsOf(find(hint.type as TenantType, hint.key), own, depth + 1);
    if (hint.kind !== 'mentions') return [];
    const found = [...this.#names.keys()]
      .filter(({ tenant }) => tenant && !('mentions' in tenant) && !('account' in tenant && !('number' in tenant)))
      .flatMap((type) => hint.keys.map((key) => find(type, key)));
    const tenants = new Set(found.flatMap((one) => this.#tenantsOf(one, own, depth + 1)));
    return tenants.size === 0 && hint.orGlobal ? [INSTALLATION] : [...tenants];
  }

  #tenantOf(number: string, own: Hints): string {
    for (const hints of [own, this.#stored])
      for (const [type, documents] of hints) {
        if (!type.tenant || !('number' in type.tenant) || !('account' in type.tenant)) continue;
        const hint = documents.get(number);
        if (hint?.kind === 'number') return hint.account === undefined ? tenantOfNumber(number) : tenantOfAccount(hint.account);
      }
    return tenantOfNumber(number);
  }

  #remember(one: Written): void {
    if (!one.type.tenant) return;
    const hints = hintsIn(this.#stored, one.type);
    if (one.document) hints.set(one.key, hintOf(one));
    else hints.delete(one.key);
  }
}

/** The methods of a transaction that write, so that its writes are noted. */
function watching(tx: StoreTransaction, written: Written[]): Partial<StoreTransaction> {
  const watched = new WeakSet<object>();
  return {
    in<T extends object>(type: CollectionType<T>): Collection<T> {
      const records = tx.in(type);
      if (watched.has(records)) return records;
      watched.add(records);
      const [put, remove] = [records.put.bind(records), records.delete.bind(records)];
      return Object.assign(records, {
        put(document: T, json?: string) {
          put(document, json);
          written.push({ type: type as TenantType, key: keyOf(type as TenantType, document), document });
        },
        delete(key: string) {
          remove(key);
          written.push({ type: type as TenantType, key, document: undefined });
        },
      });
    },
    ...(tx.live && {
      live<T extends object>(type: LiveType<T>): LiveWrites<T> {
        const writes = tx.live!(type);
        if (watched.has(writes)) return writes;
        watched.add(writes);
        const note = (key: string) => written.push({ type: type as TenantType, key, document: { [type.key]: key } });
        const [put, patch, remove] = [writes.put.bind(writes), writes.patch.bind(writes), writes.delete.bind(writes)];
        return Object.assign(writes, {
          put(document: T, json?: string) {
            put(document, json);
            note(keyOf(type as TenantType, document));
          },
          patch(key: string, change: MergePatch, json?: string) {
            patch(key, change, json);
            note(key);
          },
          delete(key: string) {
            remove(key);
            note(key);
          },
        });
      },
    }),
  };
}

/** The object with other methods. Its own methods run on the object itself, because they may use private fields. */
function withMethods<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof T];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function hintsIn(hints: Hints, type: TenantType): Map<string, TenantHint> {
  const known = hints.get(type) ?? new Map<string, TenantHint>();
  hints.set(type, known);
  return known;
}

const keyOf = ({ key }: TenantType, document: object): string => String((document as Readonly<Record<string, unknown>>)[key]);
const hintOf = ({ type, document }: Written): TenantHint =>
  type.tenant ? tenantHint(type.tenant as TenantRule<never>, document!) : undefined;
