import type { ResponseToolkit } from '@hapi/hapi';
import type { OwnedRecord } from '../../contract/accounts.js';
import type { Operator } from '../../contract/operator.js';
import type { Call, MergedList, Route } from '../../contract/route.js';
import type { Deliveries } from '../../delivery/deliveries.js';
import { Forbidden, NotFound } from '../../errors.js';
import { findMessage } from '../../messaging/find-message.js';
import type { Messages } from '../../messaging/messages.js';
import type { NumberRecord } from '../../messaging/number.js';
import type { Numbers } from '../../messaging/numbers.js';
import { tenantHint } from '../../ports/tenant.js';
import type { Database } from '../../ports/transaction.js';
import { type Json, mergedLists } from './merged-lists.js';

/** Lets operators who are restricted to accounts make those calls that concern their accounts. */
export interface AccountScopes {
  /** The response of a route to a restricted operator. @throws Forbidden, NotFound */
  respond(route: Route, call: Call, h: ResponseToolkit, accounts: readonly string[]): Promise<unknown>;
}

interface ScopeServices {
  readonly store: Database;
  readonly numbers: Pick<Numbers, 'list'>;
  readonly messages: Pick<Messages, 'get' | 'known'>;
  readonly deliveries: Pick<Deliveries, 'numberOf'>;
}

/** Whether an operator may see a number or a flow with this account. One without an account belongs to no restricted operator. */
export const seesAccount = ({ accounts }: Operator, account: string | null | undefined): boolean =>
  accounts === undefined || (typeof account === 'string' && accounts.includes(account));

/** The numbers that an operator may see. */
export const visibleNumbers = async (numbers: Pick<Numbers, 'list'>, operator: Operator): Promise<NumberRecord[]> =>
  (await numbers.list()).filter(({ account }) => seesAccount(operator, account));

const NOT_FOR_RESTRICTED =
  'The operator is restricted to accounts, and this call concerns all accounts; name a record of one of them if the call takes one';

export function createAccountScopes(services: () => ScopeServices): AccountScopes {
  return {
    async respond(route, call, h, accounts) {
      const { accounts: scope, shards } = route;
      if (scope === 'none' || scope === 'filtered') return route.handler(call, h);
      if (scope === undefined) throw new Forbidden(NOT_FOR_RESTRICTED);
      const own = (await services().numbers.list()).filter(({ account }) => account != null && accounts.includes(account));
      let isNamed = false;
      for (const [key, owned] of Object.entries(scope)) {
        for (const part of [call.params, call.query, call.payload] as (Json | null | undefined)[]) {
          const id = part?.[key];
          if (typeof id !== 'string') continue;
          const found = await ownId(owned, id, own, accounts);
          // PUT may create the record. Unknown ids get the same 404 as those of other accounts.
          if (found === 'other' || (found === 'unknown' && route.method !== 'PUT')) throw new NotFound(owned.noun, id);
          if (found !== 'unknown') (part as Record<string, unknown>)[key] = found;
          isNamed ||= owned.selects !== false;
        }
      }
      if (isNamed) return route.handler(call, h);
      if (!scope.number || !isMerged(shards)) throw new Forbidden(NOT_FOR_RESTRICTED);
      const lists: Json[] = [];
      for (const { uuid } of own)
        lists.push((await route.handler({ ...call, query: { ...call.query, number: uuid } } as unknown as Call, h)) as Json);
      const limit = Number((call.query as Json).limit ?? shards.limit ?? Number.POSITIVE_INFINITY);
      return mergedLists(lists, shards, limit);
    },
  };

  /** The id of a record of one of the numbers or accounts; `other` if it belongs to another one, `unknown` if there is none. */
  async function ownId({ in: place }: OwnedRecord, id: string, own: readonly NumberRecord[], accounts: readonly string[]): Promise<string> {
    const { messages, deliveries, store } = services();
    const ifOwn = (isOwn: boolean): string => (isOwn ? id : 'other');
    const ofNumber = (number: string | undefined): string =>
      number === undefined ? 'unknown' : ifOwn(own.some(({ uuid }) => uuid === number));
    if (place === 'account') return ifOwn(accounts.includes(id));
    if (place === 'delivery') return ofNumber(await deliveries.numberOf(id));
    if (place === 'message') {
      const message = await messages.get(id.toLowerCase());
      if (message) return ofNumber(message.number);
      // By the id of a connector: other numbers may have messages with the same id.
      return (await findMessage({ numbers: { list: async () => [...own] }, messages }, id))?.uuid ?? 'unknown';
    }
    const records = store.open(place);
    const record = (await records.get(id)) ?? (await records.get(id.toLowerCase()));
    if (!record) return 'unknown';
    const hint = tenantHint(place.tenant as never, record);
    return hint?.kind === 'number' ? ofNumber(hint.number) : ifOwn(hint?.kind === 'account' && accounts.includes(hint.account));
  }
}

const isMerged = (shards: Route['shards']): shards is MergedList => typeof shards === 'object';
