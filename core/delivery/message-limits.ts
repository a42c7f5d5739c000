import { accounts } from '../messaging/account.js';
import { type NumberRecord, numbers } from '../messaging/number.js';
import type { Database } from '../ports/transaction.js';

/** The option `messages` of a platform. */
export interface MessageLimits {
  readonly keptDays?: number | undefined;
  readonly keptBytes?: number | undefined;
}

/** The numbers of a limit of bytes: their messages count together. */
export type LimitScope = 'number' | 'account' | 'platform';

/** How long the messages of a number are kept. */
export interface NumberLimits {
  readonly number: NumberRecord;
  readonly days: number | undefined;
  readonly bytes: { readonly limit: number; readonly scope: LimitScope } | undefined;
  readonly isHeld: boolean;
}

/** The limits of all numbers: those of the number, otherwise those of its account, otherwise those of the platform. */
export async function limitsOfNumbers(store: Pick<Database, 'open'>, platform: MessageLimits): Promise<NumberLimits[]> {
  const known = new Map((await store.open(accounts).list()).map((one) => [one.account, one]));
  const all = await store.open(numbers).find('created');
  return all.map((number) => {
    const account = number.account === null ? undefined : known.get(number.account);
    const bytes = (limit: number | undefined, scope: LimitScope) => (limit === undefined ? undefined : { limit, scope });
    return {
      number,
      days: number.kept_days ?? account?.kept_days ?? platform.keptDays,
      bytes: bytes(number.kept_bytes, 'number') ?? bytes(account?.kept_bytes, 'account') ?? bytes(platform.keptBytes, 'platform'),
      isHeld: account?.hold !== undefined,
    };
  });
}

/** The numbers that share a limit of bytes. Numbers on hold are left out: nothing of them can make room. */
export function byteGroups(limits: readonly NumberLimits[]): { readonly limit: number; readonly numbers: readonly string[] }[] {
  const groups = new Map<string, { limit: number; numbers: string[] }>();
  for (const { number, bytes, isHeld } of limits) {
    if (!bytes || isHeld) continue;
    const key = { number: number.uuid, account: `account ${number.account}`, platform: 'platform' }[bytes.scope];
    const group = groups.get(key) ?? { limit: bytes.limit, numbers: [] };
    group.numbers.push(number.uuid);
    groups.set(key, group);
  }
  return [...groups.values()];
}
