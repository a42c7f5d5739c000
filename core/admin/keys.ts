import { hash as digest } from 'node:crypto';
import type { Operator } from '../contract/operator.js';
import { type Route, route } from '../contract/route.js';
import { InvalidRequest, NotFound, PermissionMissing } from '../errors.js';
import { OWNER, operatorOf } from '../kernel/http/operators.js';
import type { Roles } from '../kernel/http/roles.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { collection } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { anyString, array, boolean, dateTime, named, object, string, stringUpTo, type TypeOf } from '../shape.js';
import { isSameSecret } from '../signature.js';

/** A key of the admin API in responses. Only the response that creates it has its value. */
const keySchema = named(
  'AdminKey',
  object(
    {
      uuid: string(),
      name: string(),
      roles: array(anyString()),
      /** The last six characters of the value, to recognize the key. */
      hint: string(),
      created_at: string(),
      /** The id of the operator who added it. */
      created_by: string(),
    },
    {
      /** The accounts to which calls with the key are restricted; all if absent. */
      accounts: array(anyString()),
      /** It never expires if absent. */
      expires_at: string(),
      /** When a call last used the key since the platform started; only in lists. */
      last_used_at: string(),
    },
  ),
);
/** A key without its value. */
type KeyView = TypeOf<typeof keySchema>;

/** A stored key; `hash` is the SHA-256 of its value, hexadecimal. */
type KeyRecord = KeyView & { readonly hash: string };

export const keys = collection<KeyRecord>({
  key: 'uuid',
  tenant: { global: true },
  unique: { hash: ['hash'] },
  audited: ['name', 'roles', 'accounts', 'expires_at'],
});

/** The store has only this hash of a key. */
const hashOfKey = (text: string): string => digest('sha256', text, 'hex');

/** The operator of calls with a key. */
const operatorOfKey = ({ uuid, name, roles, accounts }: KeyView): Operator => ({
  id: `key:${uuid}`,
  name,
  roles,
  ...(accounts && { accounts }),
});

/** Returns the key without its hash. */
function view({ hash: _, ...shown }: KeyRecord): KeyView {
  return shown;
}

const byTime = (a: string, b: string): number => Date.parse(a) - Date.parse(b);

const ENTROPY_BYTES = 32;
const HINT_LENGTH = 6;

/** Keys of the admin API with names, roles and expiry, besides the key of the options. */
export type Keys = ReturnType<typeof createKeys>;

export function createKeys({ store, ids, clock }: { readonly store: Database; readonly ids: Ids; readonly clock: Clock }) {
  const records = store.open(keys);
  /** Milliseconds since 1970, in memory only: a write per call would cost more than the call. */
  const usedAt = new Map<string, number>();
  const isCurrent = ({ expires_at }: KeyView): boolean => expires_at === undefined || Date.parse(expires_at) > clock.now().getTime();
  const ofOperator = async (id: string): Promise<KeyRecord | undefined> =>
    id.startsWith('key:') ? records.get(id.slice('key:'.length)) : undefined;

  return {
    /** Creates a key and returns its value, which cannot be read again. */
    add(
      tx: Transaction,
      about: Pick<KeyView, 'name' | 'roles' | 'accounts' | 'expires_at' | 'created_by'>,
    ): { text: string; key: KeyView } {
      const text = `phk_${ids.secret(ENTROPY_BYTES)}`;
      const key: KeyView = { uuid: ids.uuid(), ...about, hint: text.slice(-HINT_LENGTH), created_at: clock.now().toISOString() };
      tx.in(keys).put({ ...key, hash: hashOfKey(text) });
      return { text, key };
    },
    /** All keys, oldest first. */
    async list(): Promise<KeyView[]> {
      const all = (await records.list()).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
      return all.map((record) => {
        const used = usedAt.get(record.uuid);
        return used === undefined ? view(record) : { ...view(record), last_used_at: new Date(used).toISOString() };
      });
    },
    /** @throws NotFound */
    async remove(tx: Transaction, uuid: string): Promise<void> {
      if (!(await tx.in(keys).get(uuid))) throw new NotFound('key', uuid);
      tx.in(keys).delete(uuid);
      tx.afterCommit(() => void usedAt.delete(uuid));
    },
    /** The operator of calls with this key; undefined if it is unknown, expired or removed. Clients cannot tell these cases apart. */
    async operatorOf(text: string): Promise<Operator | undefined> {
      const hash = hashOfKey(text);
      const found: KeyRecord | undefined = await records.getBy('hash', [hash]);
      if (!found || !isSameSecret(found.hash, hash) || !isCurrent(found)) return undefined;
      usedAt.set(found.uuid, clock.now().getTime());
      return operatorOfKey(found);
    },
    /** When the key of the operator with this id expires; undefined if it never does, or for another operator. */
    expiryOf: async (id: string): Promise<string | undefined> => (await ofOperator(id))?.expires_at,
    /** The operator with this id now; undefined when it is not that of a key, or when the key is expired or removed. */
    async current(id: string): Promise<Operator | undefined> {
      const found = await ofOperator(id);
      return found && isCurrent(found) ? operatorOfKey(found) : undefined;
    },
  };
}

export interface KeyRouteDeps {
  readonly store: Database;
  readonly keys: Keys;
  readonly roles: Roles;
}

/** The admin routes of keys. `roles` is read per call, because it is complete only when all plugins are connected. */
export function keyRoutes(deps: KeyRouteDeps): Route[] {
  const { store, keys: all } = deps;
  return [
    route({
      method: 'GET',
      path: '/keys',
      permission: 'keys.read',
      summary: 'Lists the added keys of the admin API, without their values.',
      responses: { 200: object({ keys: array(keySchema) }) },
      handler: async () => ({ keys: await all.list() }),
    }),
    route({
      method: 'POST',
      path: '/keys',
      permission: 'keys.write',
      summary: 'Adds a key of the admin API; only this response has its value. It may do at most what its creator may, and no longer.',
      request: {
        payload: object(
          { name: stringUpTo(100).pattern(/\S/, 'text that is not blank'), roles: array(string()).example(['viewer']) },
          { accounts: array(anyString()), expires_at: dateTime() },
        ),
      },
      responses: { 201: object({ key: keySchema, text: string() }) },
      async handler({ payload, request }, h) {
        const operator = operatorOf(request);
        mayGive(operator, payload.roles);
        const [expires_at] = [payload.expires_at, await all.expiryOf(operator.id)].filter((one) => one !== undefined).sort(byTime);
        const about = { ...payload, ...(expires_at !== undefined && { expires_at }), created_by: operator.id };
        const added = await store.transaction((tx) => all.add(tx, about));
        return h.response(added).code(201);
      },
    }),
    route({
      method: 'DELETE',
      path: '/keys/{uuid}',
      permission: 'keys.write',
      summary: 'Removes a key of the admin API: calls with it get 401, and its event streams end.',
      request: { params: object({ uuid: string() }) },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid } }) {
        await store.transaction((tx) => all.remove(tx, uuid));
        return { success: true };
      },
    }),
  ];

  /** @throws InvalidRequest for a role that the platform does not know, PermissionMissing for one that allows more than the operator may do */
  function mayGive(operator: Operator, roles: readonly string[]): void {
    const unknown = roles.findIndex((role) => !deps.roles.names.includes(role));
    if (unknown >= 0) {
      const message = `roles[${unknown}] must be one of ${deps.roles.names.join(', ')}`;
      throw new InvalidRequest([{ path: ['roles', unknown], rule: 'any.only', message }]);
    }
    if (roles.includes(OWNER) && !operator.roles.includes(OWNER)) throw new PermissionMissing(OWNER, operator.roles);
    const own = new Set(deps.roles.of(operator));
    const more = deps.roles.of({ roles }).find((permission) => !own.has(permission));
    if (more !== undefined) throw new PermissionMissing(more, operator.roles);
  }
}
