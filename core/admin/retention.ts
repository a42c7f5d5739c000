import { isDeepStrictEqual } from 'node:util';
import { type Route, route } from '../contract/route.js';
import type { MessageRetention, NumberReport } from '../delivery/message-retention.js';
import { type AccountRecord, accountSchema, accounts, keptChanges } from '../messaging/account.js';
import { accountChanged } from '../messaging/events.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { array, boolean, integer, nullable, number, object, oneOf, string, stringUpTo, type TypeOf } from '../shape.js';

const numberSchema = object({
  number: string(),
  name: string(),
  account: nullable(string()),
  /** The limits that apply, wherever they are set; null for none. */
  kept_days: nullable(number()),
  kept_bytes: nullable(integer()),
  /** The numbers with this limit of bytes whose messages count together. */
  kept_bytes_of: nullable(oneOf('number', 'account', 'platform')),
  on_hold: boolean(),
  /** Messages that are an hour old, as they were counted; null for a number without a limit. */
  messages: nullable(integer()),
  bytes: nullable(integer()),
  oldest: nullable(string()),
  /** The messages of the oldest day (UTC), and when the first of them is due; null if nothing is. */
  next: nullable(object({ at: string(), reason: oneOf('age', 'bytes'), messages: integer(), bytes: integer() })),
});

const answer = object({ numbers: array(numberSchema), accounts: array(accountSchema) });

interface RetentionPorts {
  readonly store: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'info'>;
  readonly messageRetention: Pick<MessageRetention, 'report' | 'measure'>;
}

/** Admin routes that show what is kept and what goes next, and set the limits and the hold of an account. */
export function retentionRoutes({ store, clock, log, messageRetention }: RetentionPorts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/retention',
      permission: 'platform.read',
      shards: 'each',
      summary:
        'Shows how long messages of each number are kept, how many there are, which go next, and the accounts that have limits or a hold.',
      responses: { 200: answer },
      handler: async () => ({
        numbers: (await messageRetention.report()).map(viewOf),
        accounts: await store.open(accounts).list(),
      }),
    }),
    route({
      method: 'PATCH',
      // The account is in the body, because names of accounts may have slashes, and because a cluster finds the shard of the account by it.
      path: '/accounts',
      permission: 'numbers.write',
      summary:
        'Sets how long messages of all numbers of a business account are kept, or a hold, under which nothing of them expires. Null removes a limit, or releases the hold.',
      request: {
        payload: object(
          { account: stringUpTo(256) },
          { ...keptChanges, hold: nullable(object({ reason: stringUpTo(1_000).pattern(/\S/, 'text that is not blank') })) },
        ),
      },
      responses: { 200: object({ account: accountSchema }) },
      async handler({ payload }) {
        const { account, before } = await store.transaction((tx) => change(tx, payload));
        if ((account.hold?.since ?? null) !== (before.hold?.since ?? null))
          log.info(account.hold ? 'an account was put on hold' : 'the hold of an account was released', {
            account: account.account,
            reason: (account.hold ?? before.hold)!.reason,
          });
        await messageRetention.measure();
        return { account };
      },
    }),
  ];

  async function change(tx: Transaction, { account: name, hold, kept_days, kept_bytes }: AccountChange) {
    const before: AccountRecord = (await tx.in(accounts).get(name)) ?? { account: name };
    const held =
      hold === undefined ? before.hold : hold === null ? undefined : (before.hold ?? { ...hold, since: clock.now().toISOString() });
    const [days = before.kept_days, bytes = before.kept_bytes] = [kept_days, kept_bytes];
    const account: AccountRecord = {
      account: name,
      ...(days != null && { kept_days: days }),
      ...(bytes != null && { kept_bytes: bytes }),
      ...(held && { hold: hold ? { ...held, reason: hold.reason } : held }),
    };
    if (isDeepStrictEqual(account, before)) return { account, before };
    if (Object.keys(account).length > 1) tx.in(accounts).put(account);
    else tx.in(accounts).delete(name);
    tx.emit(accountChanged, { account });
    return { account, before };
  }
}

interface AccountChange {
  readonly account: string;
  readonly kept_days?: number | null | undefined;
  readonly kept_bytes?: number | null | undefined;
  readonly hold?: { readonly reason: string } | null | undefined;
}

function viewOf({ limits: { number, days, bytes, isHeld }, kept, oldest, next }: NumberReport): TypeOf<typeof numberSchema> {
  return {
    number: number.uuid,
    name: number.name,
    account: number.account,
    kept_days: days ?? null,
    kept_bytes: bytes?.limit ?? null,
    kept_bytes_of: bytes?.scope ?? null,
    on_hold: isHeld,
    messages: kept?.messages ?? null,
    bytes: kept?.bytes ?? null,
    oldest: oldest ?? null,
    next: next ?? null,
  };
}
