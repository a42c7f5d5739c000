import { type Route, route } from '../contract/route.js';
import { auditRecords, auditSchema, auditView, type StoredAudit } from '../kernel/observe/audit-record.js';
import type { Database } from '../ports/transaction.js';
import { array, dateTime, integer, object, string } from '../shape.js';

const PAGE = 200;

/** The admin route that lists what operators have done. None changes or deletes records: only their age does. */
export const auditRoutes = ({ store }: { readonly store: Database }): Route[] => [
  route({
    method: 'GET',
    path: '/audit',
    permission: 'audit.read',
    shards: { list: 'records', by: ['at', 'id'], order: 'descending', limit: 100 },
    summary:
      'Lists what operators have done, newest first: those of one operator, with one action (a permission), of one target (an id in the path), since a time. `before` is the `id` of the last record, or a time.',
    request: {
      query: object(
        {},
        { operator: string(), action: string(), target: string(), since: dateTime(), before: string(), limit: integer().min(1).max(1000) },
      ),
    },
    responses: { 200: object({ records: array(auditSchema) }) },
    async handler({ query: { operator, action, target, since, before, limit = 100 } }) {
      const [index, equals] = operator !== undefined ? ['by', [operator]] : target !== undefined ? ['target', [target]] : ['at', []];
      const isWanted = (one: StoredAudit): boolean =>
        (operator === undefined || one.by === operator) &&
        (action === undefined || one.action === action) &&
        (target === undefined || one.target === target);
      const from = since === undefined ? {} : { from: [new Date(since).toISOString()] };
      const found: StoredAudit[] = [];
      for (let bound = before; found.length < limit; ) {
        // An id begins with its time.
        const end = bound === undefined ? {} : { before: bound.includes('/') ? [bound.slice(0, bound.indexOf('/')), bound] : [bound] };
        const page = await store
          .open(auditRecords)
          .find(index as string, { equals: equals as string[], order: 'descending', limit: PAGE, ...from, ...end });
        found.push(...page.filter(isWanted));
        if (page.length < PAGE) break;
        bound = page.at(-1)!.id;
      }
      return { records: found.slice(0, limit).map(auditView) };
    },
  }),
];
