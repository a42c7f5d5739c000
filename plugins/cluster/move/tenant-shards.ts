import type { MovedDocument, MoveSource } from '../../../core/ports/move.js';
import type { TenantRule } from '../../../core/ports/store.js';
import { type TenantHint, type TenantTypes, tenantHint, tenantOfAccount, tenantOfNumber } from '../../../core/ports/tenant.js';

/** Documents that cannot be distributed over several shards. */
export class CannotDistribute extends Error {
  override readonly name = 'CannotDistribute';
}

/** Chunks, in documents that have some. User content in JSON cannot look like it: its quotes are escaped, or its ids are unknown. */
const CHUNKS = /"chunks":\[((?:"[\w-]+",?)+)\]/g;

const placeOf = (collection: string, key: string): string => `${collection}\0${key}`;

/** Distributes tenants over shards: each tenant to the shard with the fewest bytes, the largest first. */
export class TenantShards {
  readonly #shards: readonly string[];
  readonly #types: TenantTypes;
  readonly #nameOf: ReadonlyMap<object, string>;
  /** Keys that other documents refer to. */
  readonly #wanted = new Set<string>();
  /** The hints of documents with wanted keys, by collection and key. */
  readonly #known = new Map<string, TenantHint>();
  /** The collections in which a key is wanted and found. */
  readonly #collectionsOf = new Map<string, string[]>();
  readonly #accounts = new Map<string, string>();
  readonly #weights = new Map<string, number>();
  /** The hints of the documents that use a chunk. */
  readonly #users = new Map<string, TenantHint[]>();
  readonly #shardOf = new Map<string, string>();
  #orphans = 0;

  private constructor(types: TenantTypes, shards: readonly string[]) {
    this.#types = types;
    this.#shards = shards;
    this.#nameOf = new Map([...types].map(([name, type]) => [type, name]));
  }

  /** @throws CannotDistribute when a collection does not declare how the tenant of its documents is found */
  static async of(source: MoveSource, types: TenantTypes, shards: readonly string[]): Promise<TenantShards> {
    const map = new TenantShards(types, shards);
    await map.#collectReferences(source);
    await map.#collectTenants(source);
    map.#distribute();
    return map;
  }

  /** How many tenants there are. */
  get tenants(): number {
    return this.#shardOf.size;
  }

  /** How many documents belong to no tenant; they are in the first shard. */
  get orphans(): number {
    return this.#orphans;
  }

  /** The shards that get a document: one, or for a document of the whole installation all of them. @throws CannotDistribute */
  shardsFor(document: MovedDocument): readonly string[] {
    const hint = this.#hintOf(document);
    if (hint?.kind === 'global') return this.#shards;
    const tenants = this.#tenantsOf(hint, document.key);
    if (tenants === 'global') return this.#shards;
    if (tenants.size > 1 && hint?.kind !== 'chunk')
      throw new CannotDistribute(`document ${document.key} of ${document.collection} mentions several tenants: ${[...tenants].join(', ')}`);
    const shards = new Set([...tenants].map((tenant) => this.#shardOf.get(tenant) ?? this.#shards[0]!));
    if (shards.size > 0) return [...shards];
    this.#orphans++;
    return [this.#shards[0]!];
  }

  async #collectReferences(source: MoveSource): Promise<void> {
    const referring = new Set<string>();
    for (const [name, { tenant }] of this.#types) if (tenant && ('by' in tenant || 'mentions' in tenant)) referring.add(name);
    for await (const batch of source.documents(referring))
      for (const document of batch) {
        const hint = this.#hintOf(document);
        if (hint?.kind === 'same') this.#wanted.add(hint.key);
        if (hint?.kind === 'mentions') for (const key of hint.keys) this.#wanted.add(key);
      }
  }

  async #collectTenants(source: MoveSource): Promise<void> {
    for await (const batch of source.documents())
      for (const document of batch) {
        const { collection, key, json } = document;
        const hint = this.#hintOf(document);
        if (hint?.kind === 'number' && hint.account !== undefined) this.#accounts.set(hint.number, hint.account);
        // Jobs and secrets mention others, and nothing mentions them. The name of an account may be any text.
        if (this.#wanted.has(key) && hint?.kind !== 'mentions' && !(hint?.kind === 'account' && hint.account === key)) {
          this.#known.set(placeOf(collection, key), hint);
          this.#collectionsOf.set(key, [...(this.#collectionsOf.get(key) ?? []), collection]);
        }
        const own = ownTenantOf(hint);
        if (own !== undefined) this.#weights.set(own, (this.#weights.get(own) ?? 0) + json.length);
        this.#noteChunks(document, hint);
      }
  }

  #noteChunks({ key, json }: MovedDocument, hint: TenantHint): void {
    if (!json.includes('"chunks":[')) return;
    const user: TenantHint = hint?.kind === 'chunk' ? { kind: 'mentions', keys: [key], orGlobal: false } : hint;
    for (const [, ids] of json.matchAll(CHUNKS))
      for (const id of JSON.parse(`[${ids}]`) as string[]) {
        const users = this.#users.get(id);
        if (!users) this.#users.set(id, [user]);
        else if (!users.some((known) => isSame(known, user))) users.push(user);
      }
  }

  #distribute(): void {
    const weights = new Map<string, number>();
    for (const [own, bytes] of this.#weights) {
      const tenant = this.#finalOf(own);
      weights.set(tenant, (weights.get(tenant) ?? 0) + bytes);
    }
    const bytesOf = new Map(this.#shards.map((shard) => [shard, 0]));
    for (const [tenant, bytes] of [...weights].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))) {
      const [shard] = [...bytesOf].reduce((least, one) => (one[1] < least[1] ? one : least));
      this.#shardOf.set(tenant, shard);
      bytesOf.set(shard, bytesOf.get(shard)! + bytes);
    }
  }

  #hintOf({ collection, json }: MovedDocument): TenantHint {
    const rule = this.#types.get(collection)?.tenant as TenantRule<never> | undefined;
    if (!rule)
      throw new CannotDistribute(
        `collection ${collection} has documents, but does not declare how their tenant is found. Add \`tenant\` to its declaration, or use one shard`,
      );
    return tenantHint(rule, JSON.parse(json) as object);
  }

  /** The tenants of a document. Several only for a chunk of several, or for a document that must not exist. */
  #tenantsOf(hint: TenantHint, key: string, depth = 0): ReadonlySet<string> | 'global' {
    const own = ownTenantOf(hint);
    if (own !== undefined) return new Set([this.#finalOf(own)]);
    if (!hint || depth > MAX_DEPTH) return NO_TENANTS;
    if (hint.kind === 'global') return 'global';
    if (hint.kind === 'same') {
      const name = this.#nameOf.get(hint.type);
      return name === undefined ? NO_TENANTS : this.#tenantsOf(this.#known.get(placeOf(name, hint.key)), hint.key, depth + 1);
    }
    if (hint.kind === 'chunk')
      return this.#union(
        (this.#users.get(key) ?? []).map((user) => [user, key]),
        depth,
      );
    if (hint.kind === 'mentions') {
      const chunks = hint.keys.flatMap((one) => (this.#users.get(one) ?? []).map((user) => [user, one] as const));
      const documents = hint.keys.flatMap((one) =>
        (this.#collectionsOf.get(one) ?? []).map((collection) => [this.#known.get(placeOf(collection, one)), one] as const),
      );
      const found = this.#union([...chunks, ...documents], depth);
      return found.size === 0 && hint.orGlobal ? 'global' : found;
    }
    return NO_TENANTS;
  }

  #union(hints: readonly (readonly [TenantHint, string])[], depth: number): ReadonlySet<string> {
    const all = new Set<string>();
    for (const [hint, key] of hints) {
      const tenants = this.#tenantsOf(hint, key, depth + 1);
      if (tenants !== 'global') for (const tenant of tenants) all.add(tenant);
    }
    return all;
  }

  /** The account of a number, if it has one. */
  #finalOf(own: string): string {
    const account = own.startsWith(NUMBER) ? this.#accounts.get(own.slice(NUMBER.length)) : undefined;
    return account === undefined ? own : tenantOfAccount(account);
  }
}

/** References of references; more would be a cycle. */
const MAX_DEPTH = 20;
const NUMBER = tenantOfNumber('');
const NO_TENANTS: ReadonlySet<string> = new Set();

const isSame = (a: TenantHint, b: TenantHint): boolean => JSON.stringify(withoutType(a)) === JSON.stringify(withoutType(b));
const withoutType = (hint: TenantHint): object | undefined => (hint?.kind === 'same' ? { ...hint, type: undefined } : hint);

/** The tenant that a document names itself. */
function ownTenantOf(hint: TenantHint): string | undefined {
  if (hint?.kind === 'account') return tenantOfAccount(hint.account);
  if (hint?.kind === 'number') return tenantOfNumber(hint.number);
  return undefined;
}
