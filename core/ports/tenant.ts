import type { CollectionType, TenantRule } from './store.js';

/** A collection of any document type, or a live collection, which has no indexes. */
export interface TenantType {
  readonly key: string;
  readonly unique?: Readonly<Record<string, readonly string[]>>;
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
  readonly cold?: { readonly after: number };
  // biome-ignore lint/suspicious/noExplicitAny: of any document type
  readonly tenant?: TenantRule<any>;
}

/** Collections; the keys are their names, such as `core.numbers`. */
export type TenantTypes = ReadonlyMap<string, TenantType>;

/** The hint that a document gives about its tenant. Undefined if it belongs to none. */
export type TenantHint =
  | { readonly kind: 'number'; readonly number: string; readonly account?: string | undefined }
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'same'; readonly type: CollectionType<object>; readonly key: string }
  | { readonly kind: 'mentions'; readonly keys: readonly string[]; readonly orGlobal: boolean }
  | { readonly kind: 'chunk' | 'global' }
  | undefined;

const MENTION_DEPTH = 3;
/** Names of secrets contain keys of documents between these characters. */
const KEY_ENDS = /[/:]/;

/** Reads the hint of a document, which may have only its key. @param rule the rule of its collection */
export function tenantHint(rule: TenantRule<never>, document: object): TenantHint {
  const field = (name: string): unknown => (document as Readonly<Record<string, unknown>>)[name];
  if ('number' in rule) {
    const { number: source, account } = rule as { number: string | ((document: object) => string | undefined); account?: string };
    const number = typeof source === 'function' ? source(document) : field(source);
    if (typeof number !== 'string') return undefined;
    const name = account === undefined ? undefined : field(account);
    return { kind: 'number', number, ...(account !== undefined && { account: typeof name === 'string' ? name : undefined }) };
  }
  if ('account' in rule) {
    const account = field(rule.account);
    return typeof account === 'string' ? { kind: 'account', account } : undefined;
  }
  if ('by' in rule) {
    const key = field(rule.by[0]);
    return typeof key === 'string' ? { kind: 'same', type: rule.by[1], key } : undefined;
  }
  if ('mentions' in rule)
    return { kind: 'mentions', keys: [...new Set(stringsIn(field(rule.mentions)))], orGlobal: rule.orGlobal ?? false };
  return { kind: 'chunk' in rule ? 'chunk' : 'global' };
}

/** Strings that may be keys of documents: those of a value, and their parts. */
function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value, ...value.split(KEY_ENDS)];
  if (typeof value !== 'object' || value === null || depth === MENTION_DEPTH) return [];
  return Object.values(value).flatMap((one) => stringsIn(one, depth + 1));
}

/** The name of a tenant: that of an account, or the uuid of a number without one. Accounts and numbers never have the same name. */
export const tenantOfAccount = (account: string): string => `account ${account}`;
/** As `tenantOfAccount`, for a number without an account. */
export const tenantOfNumber = (number: string): string => `number ${number}`;
