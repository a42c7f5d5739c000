import { createHash } from 'node:crypto';
import type { Request } from '@hapi/hapi';
import { owned } from '../contract/accounts.js';
import { idsIn, recordIdSchema } from '../contract/explanation.js';
import { type Route, route } from '../contract/route.js';
import { NotFound } from '../errors.js';
import type { RecordKind } from '../events/record-kinds.js';
import { operatorOf } from '../kernel/http/operators.js';
import { type Advice, advice, adviceDismissed } from '../messaging/events.js';
import type { Clock } from '../ports/clock.js';
import { event } from '../ports/events.js';
import { collection } from '../ports/store.js';
import { beforeCommit, on, type Subscription } from '../ports/subscription.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { array, integer, named, object, record, string, type TypeOf } from '../shape.js';

/** Parts of `about` that say where a mistake is. The others say when it occurred, such as the delivery, and change with each occurrence. */
const PLACES = ['webhook', 'journey', 'flow', 'integration'] as const;
const MAX_KEPT = 500;

const adviceSchema = named(
  'Advice',
  object(
    {
      id: string(),
      name: string(),
      message: string(),
      fix: string(),
      /** How often it was issued since it was last dismissed or fixed, and when first and last. */
      times: integer(),
      first_at: string(),
      at: string(),
      ids: array(recordIdSchema).description('The records that it is about, the most specific one first.'),
    },
    { number: string(), about: record(string()), cause: string() },
  ),
);
/** Advice as the admin API and events show it. */
export type AdviceView = TypeOf<typeof adviceSchema>;

/** Advice that was issued and neither dismissed nor fixed. Repeated advice has one record. */
export type AdviceRecord = Omit<AdviceView, 'ids'>;

/** A record of an earlier kind shows the mistake more directly. */
const BY_PRECISION: readonly RecordKind[] = [
  ...(['call', 'delivery', 'message', 'session', 'journey', 'flow', 'webhook'] as const),
  ...(['conversation', 'contact', 'number', 'integration', 'advice'] as const),
];

function viewOf(kept: AdviceRecord): AdviceView {
  const ids = idsIn({ ...kept.about, ...(kept.number !== undefined && { number: kept.number }) });
  return { ...kept, ids: ids.sort((a, b) => BY_PRECISION.indexOf(a.kind) - BY_PRECISION.indexOf(b.kind)) };
}

const HIDDEN = 'It may name contacts: reading it needs the permission messages.read_bodies';

/**
 * Advice without its texts for operators who may not read what contacts wrote, because these may name contacts, or quote messages. For the others,
 * the use of the permission is in the audit.
 */
const shownTo = (request: Request, kept: AdviceRecord): AdviceView =>
  viewOf(operatorOf(request).may('messages.read_bodies') ? kept : { ...kept, message: HIDDEN, fix: HIDDEN });

export const adviceRecords = collection<AdviceRecord>({
  key: 'id',
  tenant: { number: 'number' },
  indexes: { at: ['at', 'id'], cause: ['cause'] },
});

/** Advice was recorded, and can be listed and dismissed by its id. */
export const adviceIssued = event<{ readonly advice: AdviceView; readonly severity?: Advice['severity'] }>(
  'advice.issued',
  'Advice was recorded; `DELETE /advice/{id}` dismisses it.',
);

/** Records advice when it is issued, and deletes it when its cause was fixed. */
export function keepAdvice({ store, clock }: { readonly store: Database; readonly clock: Pick<Clock, 'now'> }): readonly Subscription[] {
  return [
    on(advice, (issued) => store.transaction((tx) => keep(tx, issued, clock.now().toISOString()))),
    beforeCommit(adviceDismissed, async ({ cause }, tx) => {
      if (cause === undefined) return;
      for (const { id } of await tx.in(adviceRecords).find('cause', { equals: [cause] })) tx.in(adviceRecords).delete(id);
    }),
  ];
}

async function keep(tx: Transaction, { name, number, message, fix, about, cause, severity }: Advice, at: string): Promise<void> {
  const place = [name, number, cause, ...PLACES.map((part) => about?.[part])];
  const id = `${name}-${createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 8)}`;
  const known = await tx.in(adviceRecords).get(id);
  const kept: AdviceRecord = {
    id,
    name,
    message,
    fix,
    times: (known?.times ?? 0) + 1,
    first_at: known?.first_at ?? at,
    at,
    ...(number !== undefined && { number }),
    ...(about && { about }),
    ...(cause !== undefined && { cause }),
  };
  tx.in(adviceRecords).put(kept);
  tx.emit(adviceIssued, { advice: viewOf(kept), ...(severity && { severity }) });
  const newest = await tx.in(adviceRecords).find('at', { order: 'descending', limit: MAX_KEPT + 1 });
  for (const { id } of newest.slice(MAX_KEPT)) tx.in(adviceRecords).delete(id);
}

/** Admin routes that list and dismiss advice. */
export function adviceRoutes({ store }: { readonly store: Database }): Route[] {
  const records = store.open(adviceRecords);
  return [
    route({
      method: 'GET',
      path: '/advice',
      permission: 'platform.read',
      morePermissions: ['messages.read_bodies'],
      accounts: { number: owned.number, delivery: owned.delivery, webhook: owned.webhook },
      shards: { list: 'advice', by: ['at', 'id'], order: 'descending' },
      summary:
        'Lists advice that was issued and neither dismissed nor fixed, newest first, each with the `ids` of the records that it is about. `delivery` and `webhook` select advice on either of them.',
      request: { query: object({}, { number: string(), delivery: string(), webhook: string() }) },
      responses: { 200: object({ advice: array(adviceSchema) }) },
      async handler({ query: { number, delivery, webhook }, request }) {
        const kept = await records.find('at', { order: 'descending', limit: MAX_KEPT });
        const isAbout = ({ about }: AdviceRecord): boolean =>
          (delivery === undefined && webhook === undefined) ||
          (delivery !== undefined && about?.delivery === delivery) ||
          (webhook !== undefined && about?.webhook === webhook);
        return {
          advice: kept.filter((one) => (number === undefined || one.number === number) && isAbout(one)).map((one) => shownTo(request, one)),
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/advice/{id}',
      permission: 'advice.dismiss',
      morePermissions: ['messages.read_bodies'],
      accounts: { id: owned.record(adviceRecords, 'advice') },
      summary: 'Dismisses advice. It is issued again if its cause recurs.',
      request: { params: object({ id: string() }) },
      responses: { 200: object({ advice: adviceSchema }) },
      handler: ({ params: { id }, request }) =>
        store.transaction(async (tx) => {
          const known = await tx.in(adviceRecords).get(id);
          if (!known) throw new NotFound('advice', id);
          tx.in(adviceRecords).delete(id);
          tx.emit(adviceDismissed, { id, ...(known.cause !== undefined && { cause: known.cause }) });
          return { advice: shownTo(request, known) };
        }),
    }),
  ];
}
