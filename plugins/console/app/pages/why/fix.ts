import type { Action } from '../../components/copy.js';
import type { Method } from '../../data/admin.js';
import type { Fix } from './step.js';
import { texts } from './texts.js';

const ADMIN = '/admin/v1';
const METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
/** Calls that show a secret once, or need more than the fix knows, are made on the page of the record. */
const ON_PAGES: readonly { readonly route: RegExp; readonly label: string; readonly page: (id: string) => string }[] = [
  { route: /^POST \/webhooks$/, label: texts.goToTheWebhooks, page: () => '/webhooks' },
  { route: /^POST \/numbers\/([^/]+)\/tokens$/, label: texts.goToTheTokensOf, page: (id) => `/numbers/${id}` },
];

/** The fix as a call that a button can make; undefined if it is not one, or lacks a part. */
export function actionOf(fix: Fix): Action | undefined {
  const { method, path } = routeOf(fix);
  if (!METHODS.includes(method) || path === undefined || path.includes('{') || pageOf(fix)) return undefined;
  // A change without a body would change nothing.
  if ((method === 'PATCH' || method === 'PUT') && fix.body === undefined) return undefined;
  return { method: method as Method, path, ...(fix.body !== undefined && { payload: fix.body }) };
}

/** The page on which the fix is made. */
export function pageOf(fix: Fix): { readonly path: string; readonly label: string } | undefined {
  const { method, path } = routeOf(fix);
  for (const { route, label, page } of ON_PAGES) {
    const found = path === undefined ? null : route.exec(`${method} ${path}`);
    if (found && !path!.includes('{')) return { label, path: page(found[1] ?? '') };
  }
  return undefined;
}

/** `path` is undefined for calls outside the admin API, which need the token of a number. */
function routeOf({ route = '' }: Fix): { readonly method: string; readonly path: string | undefined } {
  const [method = '', whole = ''] = route.split(' ');
  return { method, path: whole.startsWith(`${ADMIN}/`) ? whole.slice(ADMIN.length) : undefined };
}

const KINDS: Readonly<Record<string, string>> = {
  numbers: 'number',
  webhooks: 'webhook',
  journeys: 'journey',
  deliveries: 'delivery',
  channels: 'channel',
};

/** The label of a button: `Resume the webhook`, `Change the number`. */
export function verbOf({ method, path }: Action): string {
  const [collection = '', , verb] = path.slice(1).split('/');
  const thing = KINDS[collection] ?? 'record';
  // As on the page of a delivery.
  if (collection === 'deliveries' && verb === 'retry') return texts.retryNow;
  if (collection === 'deliveries' && verb === 'redeliver') return texts.redeliver;
  if (verb !== undefined && /^[a-z]+$/.test(verb)) return texts.doItToTheRecord(verb, thing);
  return method === 'DELETE' ? texts.deleteTheRecord(thing) : texts.changeTheRecord(thing);
}
