import { type Route, route } from '../contract/route.js';
import { NotFound, NotReady, Unavailable } from '../errors.js';
import { event } from '../ports/events.js';
import { type LogLoss, LogUnreachable, type ReportedLoss } from '../ports/log.js';
import type { Store, StoreHealth } from '../ports/store.js';
import { anyValue, array, boolean, dateTime, integer, object, oneOf, record, string, type TypeOf } from '../shape.js';

/** Announced when the store stops accepting writes; the payload has the reason. */
export const storeFailed = event<StoreHealth>('store.failed', 'The store accepts no more writes because of a fault; reads still work.');
/** Announced when the store accepts writes again. */
export const storeReopened = event<StoreHealth>('store.reopened', 'The store accepts writes again.');

const lossFields = {
  id: string(),
  shard: string(),
  /** The last transaction of the shard that the log still has. */
  after: integer(),
  /** How many transactions behind it vanished. */
  transactions: integer(),
  /** Whether a process that reported it had acknowledged some of them. Otherwise their callers may not have received a response. */
  acknowledged: boolean(),
  /** Whether the report has all documents; false if the processes that remain do not remember everything. */
  complete: boolean(),
  /** The tenants whose documents are concerned: `number <uuid>` or `account <name>`. */
  tenants: array(string()),
  kinds: array(object({ collection: string(), documents: integer() })),
};

/** Announced by a process that finds that the log has lost transactions; `GET /admin/v1/store/losses` has the documents. */
export const storeRewound = event<TypeOf<typeof lossSummary>>(
  'store.rewound',
  'The database has lost transactions, in a fail-over or because a backup was restored.',
);
const lossSummary = object(lossFields);
const lossSchema = object({
  ...lossFields,
  at: dateTime(),
  /** Whether an operator has confirmed it. */
  confirmed: boolean(),
  /** `unique`: what identifies a document besides its key, such as the id that a connector gave a message. */
  documents: array(object({ collection: string(), key: string() }, { tenant: string(), unique: record(array(anyValue())) })),
});

/** The part of a loss that an event has. */
export function lossSummaryOf({ id, shard, kept, last, isAcknowledged, isComplete, documents }: LogLoss): TypeOf<typeof lossSummary> {
  const kinds = new Map<string, number>();
  for (const { collection } of documents) kinds.set(collection, (kinds.get(collection) ?? 0) + 1);
  return {
    id,
    shard,
    after: kept,
    transactions: last - kept,
    acknowledged: isAcknowledged,
    complete: isComplete,
    tenants: [...new Set(documents.flatMap(({ tenant = [] }) => tenant))],
    kinds: [...kinds].map(([collection, count]) => ({ collection, documents: count })),
  };
}

const viewOf = (loss: ReportedLoss): TypeOf<typeof lossSchema> => ({
  ...lossSummaryOf(loss),
  at: loss.at,
  confirmed: loss.isConfirmed,
  documents: [...loss.documents],
});

/** @throws NotReady while the database cannot be reached */
const reached = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw error instanceof LogUnreachable ? new NotReady(error.message, 'directory_unavailable') : error;
  });

const answer = object({
  store: object(
    { state: oneOf('open', 'waiting', 'standby', 'failed', 'closed') },
    {
      reason: string(),
      /** Files with documents that could not be read since the start; all others can. */
      damaged: array(object({ file: string(), damage: string(), fix: string() })),
    },
  ),
});

/** Admin routes that show the health of the store and reopen it after a fault. */
export function storeRoutes(store: Store, confirmed: (loss: ReportedLoss) => Promise<void>): Route[] {
  const health = (): TypeOf<typeof answer>['store'] => {
    const { damaged, ...rest } = store.health?.() ?? { state: 'open' };
    return { ...rest, ...(damaged && { damaged: [...damaged] }) };
  };
  return [
    route({
      method: 'GET',
      path: '/store',
      permission: 'platform.read',
      shards: 'process',
      summary: 'Shows whether the store accepts writes, and if not, why; and the files with documents that cannot be read.',
      needsNoStore: true,
      responses: { 200: answer },
      handler: () => ({ store: health() }),
    }),
    route({
      method: 'GET',
      path: '/store/losses',
      permission: 'platform.read',
      shards: 'process',
      summary: 'Lists transactions that the database has lost, in a fail-over or because a backup was restored; the newest loss first.',
      needsNoStore: true,
      responses: { 200: object({ losses: array(lossSchema) }) },
      handler: async () => ({ losses: ((await reached(store.losses?.list() ?? Promise.resolve([]))) ?? []).map(viewOf) }),
    }),
    route({
      method: 'PATCH',
      path: '/store/losses/{id}',
      permission: 'platform.operate',
      shards: 'process',
      summary: 'Confirms that an operator has seen a loss: its warning ends, and a shard that waits for that is served again.',
      needsNoStore: true,
      request: { params: object({ id: string() }), payload: object({ confirmed: boolean().valid(true) }) },
      responses: { 200: object({ losses: array(lossSchema) }) },
      async handler({ params: { id } }) {
        if (!(await reached(store.losses?.confirm(id) ?? Promise.resolve(false)))) throw new NotFound('loss', id);
        const losses = await reached(store.losses!.list());
        const loss = losses.find((one) => one.id === id);
        if (loss) await confirmed(loss);
        return { losses: losses.map(viewOf) };
      },
    }),
    route({
      method: 'POST',
      path: '/store/reopen',
      permission: 'platform.operate',
      shards: 'process',
      summary: 'Makes the store accept writes again after its disk was repaired; 503 while the fault lasts.',
      keepsNothing: true,
      responses: { 200: answer },
      async handler() {
        await store.reopen?.().catch((error: Error) => {
          throw new Unavailable(`The store cannot accept writes yet: ${error.message}`, 5, 'store_unavailable');
        });
        return { store: health() };
      },
    }),
  ];
}
