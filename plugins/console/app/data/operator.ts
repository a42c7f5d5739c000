import { effect, signal } from '@preact/signals';
import { admin, CallFailed, checkCalls, type Method, permissionsMissed } from './admin.js';
import { texts } from './texts.js';

/** The operator who is signed in, as `GET /admin/v1/me` shows it. */
interface Me {
  readonly operator: { readonly id: string; readonly name: string; readonly roles: readonly string[] };
  /** The calls that the operator may not make. */
  readonly refused: readonly { readonly method: string; readonly path: string; readonly permission: string | null }[];
  readonly sign_out_url: string | null;
}

const ME = '/me';

/** The operator to whom this page belongs; undefined until the server has named one. */
export const me = signal<Me | undefined>(undefined);
/** The name of another operator as whom this browser has been signed in since the page was opened. */
export const replacedBy = signal<string | undefined>(undefined);
/** Changes when the operator may make other calls than before: what a page has read is read again. */
export const access = signal(0);

let reading: Promise<void> | undefined;

/** Reads who is signed in. A failure changes nothing: the next call shows it. */
export function readOperator(): Promise<void> {
  reading ??= admin<Me>('GET', ME)
    .then(accept, () => undefined)
    .finally(() => {
      reading = undefined;
    });
  return reading;
}

function accept(next: Me): void {
  const current = me.value;
  replacedBy.value = current && current.operator.id !== next.operator.id ? next.operator.name : undefined;
  if (replacedBy.value !== undefined || JSON.stringify(current) === JSON.stringify(next)) return;
  me.value = next;
  if (current) access.value++;
}

/** Reads who is signed in now, when the page gets the focus, and when the server refuses a call for a permission. */
export function startOperator(): Promise<void> {
  // Another tab may have signed in another operator: calls wait until it is known whose they would be.
  checkCalls(async (method, path) => {
    if (path === ME) return;
    await reading;
    if (replacedBy.value !== undefined) throw new CallFailed(texts.thisBrowserIsNowSigned(replacedBy.value), 403, undefined, true);
    const refusal = refusalOf({ method, path });
    if (refusal !== undefined) throw new CallFailed(refusal, 403, undefined, true);
  });
  addEventListener('focus', () => void readOperator());
  effect(() => {
    if (permissionsMissed.value > 0) void readOperator();
  });
  return readOperator();
}

/** A call of the admin API; one with `api: 'v1'` is made with the token of a number, which needs no permission. */
interface Call {
  readonly method: Method;
  readonly path: string;
  readonly api?: 'admin' | 'v1';
}

/** Whether a path below `/admin/v1` is one of a route, such as `/webhooks/{uuid}`; `{…}` is one segment. */
export function fits(route: string, pathname: string): boolean {
  const [parts, segments] = [route.split('/'), pathname.split('/')];
  return parts.length === segments.length && parts.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]));
}

/** Why the operator may not make a call of the admin API; undefined if the server may accept it. */
export function refusalOf({ method, path, api }: Call): string | undefined {
  if (!me.value || api === 'v1') return undefined;
  const { operator, refused } = me.value;
  const [pathname = ''] = path.split('?');
  const found = refused.find((one) => one.method === method && fits(one.path, pathname));
  if (!found) return undefined;
  if (found.permission === null) return texts.notForOperatorsWhoAre;
  const needed = texts.needsThe(found.permission.includes('.'), found.permission);
  return texts.yourRoles(needed, operator.roles.join(', '));
}

/** Properties of a control that makes a call: disabled, with the reason as its title, if the operator may not make the call. */
export function controlOf(call: Call, isDisabled = false): { readonly disabled: boolean; readonly title?: string } {
  const refusal = refusalOf(call);
  return refusal === undefined ? { disabled: isDisabled } : { disabled: true, title: refusal };
}
