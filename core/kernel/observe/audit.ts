import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from '@hapi/hapi';
import type { Route } from '../../contract/route.js';
import { PlatformError } from '../../errors.js';
import type { History } from '../../memory/history.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Store, StoreTransaction } from '../../ports/store.js';
import type { Transaction } from '../../ports/transaction.js';
import { requestId } from '../http/mounted-route.js';
import { OWNER, operatorOf, usedPermissions } from '../http/operators.js';
import { type AuditRecord, auditRecords, type StoredAudit } from './audit-record.js';
import { masked, WatchedTransaction } from './audited-transaction.js';

/** Calls that use permissions with these verbs are recorded also if they change nothing: they show what people wrote, or secrets. */
const SENSITIVE = /\.(read_bodies|export|secrets|access)$/;
const READ = /\.read$/;
/** Repeated reads within this time have one record: pages read again what they show. */
const SAME_READ_MS = 60_000;
const MAX_READS = 1_000;
const MAX_HEADER_CHARACTERS = 200;
/** A number of a phone and the id of a contact are personal data, which a record must not keep when its contact is erased. */
const PHONE = /^\+?\d{6,15}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Networks and connectors choose these ids, often with the number in them. */
const NAMED_BY_OTHERS: ReadonlySet<string> = new Set(['contact', 'message']);
const isPersonal = (key: string, value: string): boolean => PHONE.test(value) || (NAMED_BY_OTHERS.has(key) && !UUID.test(value));

/** An admin call in progress. */
interface AuditedCall {
  /** The platform that serves it: another one that the call reaches in this process has its own records. */
  readonly owner: object;
  readonly request: Request;
  readonly route: Route;
  /** The permission that the record names. */
  action: string;
  /** Set by the first transaction that has written. */
  record?: StoredAudit;
  /** Whether the handler still runs. */
  isOpen: boolean;
}

export interface AuditDeps {
  readonly store: () => Pick<Store, 'open' | 'transaction'>;
  readonly history: () => Pick<History<StoredAudit>, 'added'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly isWritable: () => boolean;
  readonly clientAddress: (request: Request) => string;
  /** The name under which a collection is stored; undefined for one whose documents only follow from others. */
  readonly nameOf: (type: object) => string | undefined;
}

/**
 * One for all platforms of the process: Node.js 20 copies each that is enabled to every promise. A call that never ends, such as that of a
 * platform that a test abandons, keeps it enabled.
 */
const calls = new AsyncLocalStorage<AuditedCall>();
let running = 0;

/** Records what operators change, in the transaction of the change, and that they read what people wrote. */
export type Audit = ReturnType<typeof createAudit>;

export function createAudit({ store, history, clock, log, isWritable, clientAddress, nameOf }: AuditDeps) {
  const owner = {};
  const reads = new Map<string, number>();
  let written = 0;

  return {
    /** Runs the handler of an admin route. */
    async within<T>(route: Route, request: Request, handle: () => Promise<T>): Promise<T> {
      const { permission = OWNER, morePermissions = [] } = route;
      const isRead = route.method === 'GET' || READ.test(permission);
      const isSensitive = SENSITIVE.test(permission);
      if (isRead && !isSensitive && !morePermissions.some((one) => SENSITIVE.test(one))) return handle();
      const call: AuditedCall = { owner, request, route, action: permission, isOpen: true };
      let status = 500;
      running++;
      try {
        if (route.replacesStore) await writeAlone(call, 200);
        const response = await calls.run(call, handle);
        status = (response as { readonly statusCode?: number } | null)?.statusCode ?? 200;
        call.isOpen = false;
        if (isRead && !isSensitive) {
          // Such as advice: what it shows depends on the operator, and on whether there is any.
          const shown = usedPermissions(request).find((one) => SENSITIVE.test(one));
          if (shown === undefined) return response;
          call.action = shown;
        }
        const key = isRead ? keyOf(call) : undefined;
        if (!call.record && (status < 400 || isRead) && !isRepeated(key)) {
          await writeAlone(call, status);
          remember(key);
        }
        return response;
      } catch (error) {
        if (error instanceof PlatformError) status = error.status;
        throw error;
      } finally {
        call.isOpen = false;
        // While it is enabled, every promise of the process takes longer.
        if (--running === 0) calls.disable();
        if (call.record && call.record.status !== status) await complete(call.record, status);
      }
    },

    /** Runs a transaction, with the record of the call that it is part of. */
    transaction<T>(raw: Pick<Store, 'transaction'>, work: (tx: StoreTransaction) => Promise<T> | T): Promise<T> {
      const call = calls.getStore();
      if (call?.owner !== owner || !call.isOpen) return raw.transaction(work);
      return raw.transaction(async (tx) => {
        const watched = new WatchedTransaction(tx, (run) => calls.exit(run));
        const result = await work(watched.raw);
        // After the callbacks that `work` has added, which may write too.
        tx.beforeCommit(async () => {
          if (!watched.hasWritten) return;
          const changes = await watched.changes(tx, store(), nameOf);
          const { record: before } = call;
          put(tx, call, before ? { ...before, changes: joined(before.changes, changes) } : recordOf(call, 200, changes), before);
        });
        return result;
      });
    },
  };

  function put(tx: StoreTransaction, call: AuditedCall, record: StoredAudit, before?: StoredAudit): void {
    tx.in(auditRecords).put(record);
    if (!before) history().added(tx as Transaction, record);
    tx.afterCommit(() => {
      call.record = record;
    });
  }

  async function writeAlone(call: AuditedCall, status: number): Promise<void> {
    const record = recordOf(call, status, []);
    // Reads work while the disk is full.
    if (!isWritable()) return log.info('an admin call was not recorded, because the store accepts no writes', { audit: record });
    await store().transaction((tx) => put(tx, call, record));
  }

  /** The transaction of the change has committed, and then the call failed, or has another status. */
  async function complete(record: StoredAudit, status: number): Promise<void> {
    try {
      await store().transaction((tx) => tx.in(auditRecords).put({ ...record, status }));
    } catch (error) {
      log.error('the status of an admin call was not recorded', { audit: record.id, status, error });
    }
  }

  function keyOf({ request, route }: AuditedCall): string {
    return JSON.stringify([operatorOf(request).id, route.method, route.path, request.params, request.query]);
  }

  /** Whether a read was recorded within the last minute. */
  function isRepeated(key: string | undefined): boolean {
    const before = key === undefined ? undefined : reads.get(key);
    return before !== undefined && clock.now().getTime() - before < SAME_READ_MS;
  }

  function remember(key: string | undefined): void {
    if (key === undefined) return;
    reads.delete(key);
    reads.set(key, clock.now().getTime());
    if (reads.size > MAX_READS) reads.delete(reads.keys().next().value!);
  }

  function recordOf({ request, route, action }: AuditedCall, status: number, changes: AuditRecord['changes']): StoredAudit {
    const { id, name, roles } = operatorOf(request);
    const payload = request.payload as Record<string, unknown> | null;
    const named = Object.fromEntries(
      (route.recorded ?? []).flatMap((key) => (payload?.[key] === undefined ? [] : [[key, masked(key, String(payload[key]))]])),
    );
    const at = clock.now().toISOString();
    const params = Object.fromEntries(
      Object.entries({ ...request.params, ...(request.query as object), ...named } as Record<string, unknown>).map(([key, value]) => [
        key,
        isPersonal(key, String(value)) ? '…' : String(value),
      ]),
    );
    const header = (header: string) => request.headers[header]?.toString().slice(0, MAX_HEADER_CHARACTERS);
    const [forwarded, agent, target] = [
      header('x-forwarded-for'),
      header('user-agent'),
      Object.keys(request.params)
        .map((key) => params[key])
        .at(-1),
    ];
    return {
      // In order also within a millisecond. Not from the port of ids, whose next ids would be others.
      id: `${at}/${String(++written).padStart(9, '0')}-${request.info.id}`,
      at,
      by: id,
      operator: { id, name, roles: [...roles] },
      action,
      call: `${route.method} ${route.path}`,
      params,
      from: clientAddress(request),
      request_id: requestId(request),
      status,
      changes,
      ...(target !== undefined && { target }),
      ...(forwarded !== undefined && { forwarded_for: forwarded }),
      ...(agent !== undefined && { user_agent: agent }),
    };
  }
}

/** The changes of several transactions of a call. Those without a key are added up. */
function joined(before: AuditRecord['changes'], more: AuditRecord['changes']): AuditRecord['changes'] {
  const all = before.map((one) => ({ ...one }));
  for (const change of more) {
    const same = all.find(({ records, what, key }) => key === undefined && records === change.records && what === change.what);
    if (same && change.key === undefined) same.count += change.count;
    else all.push(change);
  }
  return all;
}
