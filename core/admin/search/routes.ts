import { recordIdSchema } from '../../contract/explanation.js';
import { ANY_OPERATOR } from '../../contract/permission.js';
import { type Route, route } from '../../contract/route.js';
import type { SearchSource } from '../../contract/search.js';
import { seesAccount } from '../../kernel/http/account-scope.js';
import { operatorOf } from '../../kernel/http/operators.js';
import type { Numbers } from '../../messaging/numbers.js';
import { anyString, array, boolean, integer, nullable, object, string } from '../../shape.js';
import { invalid, pageFields, pageOf, placeOf } from './place.js';
import { queryOf } from './query.js';
import { search } from './search.js';

const MAX_QUERY = 200;
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

const resultSchema = object(
  { kind: string(), id: string(), title: anyString(), text: anyString(), at: string(), number: nullable(string()) },
  { on: recordIdSchema, line: integer() },
);
const kindSchema = object({ kind: string(), ...pageFields });

/** The admin route that searches everything. */
export function searchRoutes({
  numbers,
  sources,
}: {
  readonly numbers: Pick<Numbers, 'list'>;
  readonly sources: () => readonly SearchSource[];
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/search',
      permission: ANY_OPERATOR,
      accounts: 'filtered',
      shards: { list: 'results', by: ['at', 'id'], order: 'descending', limit: DEFAULT_LIMIT, kinds: 'kinds' },
      summary:
        'Finds records of every kind that the operator may see by all words of `q`, in any order and without regard to case and accents; `"a phrase"` is one word. An id finds only its record: then `is_id` is true. `kinds` is a list with commas. Each kind has at most `limit` results, newest first; `before` is the `next` of one kind. `looked_back_to`: older records of the kind were not searched; null if all were.',
      request: {
        query: object({ q: string().max(MAX_QUERY) }, { kinds: string(), before: string(), limit: integer().min(1).max(MAX_LIMIT) }),
      },
      responses: { 200: object({ is_id: boolean(), results: array(resultSchema), kinds: array(kindSchema) }) },
      async handler({ query: { q, kinds, before, limit = DEFAULT_LIMIT }, request }) {
        const operator = operatorOf(request);
        const query = queryOf(q);
        if (!query) throw invalid('q', 'q must have 1 to 12 words');
        const names = kinds?.split(',');
        const known = sources().map(({ kind }) => kind);
        const unknown = names?.find((name) => !known.includes(name));
        if (unknown !== undefined) throw invalid('kinds', `kinds must be of ${known.join(', ')}`);
        if (before !== undefined && names?.length !== 1) throw invalid('before', 'before continues one kind; name it in kinds');
        const place = before === undefined ? undefined : placeOf(before);
        const accountOf = operator.accounts && new Map((await numbers.list()).map(({ uuid, account }) => [uuid, account]));
        const { isId, kinds: searched } = await search(
          sources().filter(({ kind, permission }) => (names?.includes(kind) ?? true) && operator.may(permission)),
          {
            query,
            id: q.trim(),
            limit,
            before: place,
            may: operator.may,
            sees: ({ number, account }) =>
              accountOf === undefined || seesAccount(operator, number === undefined ? account : accountOf.get(number)),
          },
        );
        return {
          is_id: isId,
          results: searched.flatMap(({ kind, found }) =>
            found.map(({ id, title, text, at, number = null, on, line }) => ({
              ...{ kind, id, title, text, at, number },
              ...(on && { on }),
              ...(line !== undefined && { line }),
            })),
          ),
          kinds: searched.map(({ kind, rest }) => ({ kind, ...pageOf(rest) })),
        };
      },
    }),
  ];
}
