import { everything } from './everything.js';
import { code, table } from './table.js';

/** The reference tables of a plugin (or `core`): routes, admin routes, events and collections. */
export async function referenceOf(area: string): Promise<string> {
  const { routes, events, collections } = await everything();
  const own = routes.filter((route) => route.area === area).sort(byPath);
  const parts = [
    routeTable(own.filter(({ isAdmin }) => !isAdmin)),
    adminTable(own.filter(({ isAdmin }) => isAdmin)),
    eventTable(events.get(area) ?? []),
    collectionTable(area, collections.get(area) ?? {}),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

const byPath = (a: Routes[number], b: Routes[number]): number =>
  a.path === b.path ? (a.route.method < b.route.method ? -1 : 1) : a.path < b.path ? -1 : 1;

type Routes = Awaited<ReturnType<typeof everything>>['routes'];

const authWords = { bearer: 'token', optional: 'token or none', none: 'none' } as const;

function routeTable(routes: Routes): string {
  if (routes.length === 0) return '';
  const rows = routes.map(({ path, route: { method, summary, auth = 'bearer', numbers, bucket = 'general', bucketOf } }) => [
    code(`${method} ${path}`),
    authWords[auth],
    auth === 'none' ? '' : (numbers?.join(', ') ?? 'all'),
    auth === 'none' ? '' : bucketOf ? 'depends on the request' : bucket,
    summary,
  ]);
  return table(['Call', 'Needs', 'Kinds of number', 'Rate bucket', 'What it does'], rows);
}

function adminTable(routes: Routes): string {
  if (routes.length === 0) return '';
  const rows = routes.map(({ path, route: { method, summary } }) => [code(`${method} ${path}`), summary]);
  return table(['Admin call', 'What it does'], rows);
}

function eventTable(events: readonly { readonly name: string; readonly description: string }[]): string {
  if (events.length === 0) return '';
  const rows = events.map(({ name, description }) => [code(name), description]).sort(([a], [b]) => (a! < b! ? -1 : 1));
  return table(['Event', 'What happened'], rows);
}

interface Kept {
  readonly key: string;
  readonly unique?: Readonly<Record<string, readonly string[]>>;
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
}

function collectionTable(area: string, collections: Readonly<Record<string, unknown>>): string {
  const rows = Object.entries(collections).map(([name, collection]) => {
    const { key, unique = {}, indexes = {} } = collection as Kept;
    const shown = (some: Kept['indexes']): string =>
      Object.values(some ?? {})
        .map((fields) => code([fields].flat().join(', ')))
        .join('; ');
    return [code(`${area}.${name}`), code(key), shown(unique), shown(indexes)];
  });
  return rows.length === 0 ? '' : table(['Collection', 'Key', 'Unique', 'Indexes'], rows);
}
