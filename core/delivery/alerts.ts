import { createHash } from 'node:crypto';
import type { Dialect } from '../dialect.js';
import type { Chunks } from '../memory/chunks.js';
import type { Clock } from '../ports/clock.js';
import type { HttpClient } from '../ports/http-client.js';
import type { Ids } from '../ports/ids.js';
import type { Logger } from '../ports/logger.js';
import type { OutboundRequest, OutboundSender, SigningKey } from '../ports/outbound.js';
import { type Consumer, consume } from '../ports/queue.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { withoutUndefined } from '../shape.js';
import {
  ALERTS,
  type Alert,
  type AlertRecord,
  type AlertTarget,
  alertRecords,
  alertRecoveries,
  type Condition,
  PLATFORM,
  severities,
} from './alert.js';
import type { Deliveries } from './deliveries.js';
import type { DeliveryRecord } from './delivery.js';
import { classify } from './retry.js';
import { defaultRetryPolicy } from './retry-policy.js';
import type { ContributedSender, Destination } from './sender.js';
import { identityOf } from './webhook-sender.js';

/** The name of the sender, which deliveries store. */
const ALERT_SENDER = 'alerts';
/** A problem that ends and begins again within this time is one alert. */
const RECOVERY_MS = 60_000;
/** A problem that occurs again and again is posted again after this time. */
export const REPEAT_MS = 24 * 60 * 60 * 1000;
const MAX_RAISED = 1_000;
const RESPONSE_READ_BYTES = 4 * 1024;

/** The processes of a cluster. */
export interface Processes {
  /** The id of this process; unique for each start. */
  readonly self: string;
  isRunning(id: string): boolean;
}

export interface AlertParts {
  readonly targets: readonly AlertTarget[];
  readonly store: Database;
  readonly deliveries: Pick<Deliveries, 'post'>;
  readonly sender: Pick<OutboundSender, 'send'>;
  readonly chunks: Pick<Chunks, 'expand'>;
  readonly http: Pick<HttpClient, 'refusal'>;
  readonly dialect: Dialect;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly clock: Pick<Clock, 'now' | 'after' | 'during'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Undefined without a cluster: then the data has one process at a time, so an earlier one has ended when this one starts. */
  readonly processes?: Processes | undefined;
}

interface Target extends Destination {
  readonly url: string;
  readonly rank: number;
  readonly key: SigningKey | undefined;
}

/**
 * Posts to the operators' own systems that something needs them, and that it no longer does. Alerts are deliveries of a sender of their own:
 * signed, retried and listed like others. A target that fails has a line in the log and the metrics, and never causes another alert.
 */
export type Alerts = ReturnType<typeof createAlerts>;

export function createAlerts(parts: AlertParts) {
  const { store, deliveries, sender, chunks, http, dialect, ids, clock, log, processes } = parts;
  const targets = new Map(parts.targets.map((target) => [uuidOf(target.url), targetOf(target)]));
  /** Raised while the store accepted no writes. */
  const unstored = new Map<string, Condition>();
  let isStopped = false;

  return {
    /** Raises an alert, unless it is raised already. It is posted again when it becomes more severe, or occurs again after a day. */
    raise,

    /** The cause of alerts about this process itself. */
    ofProcess: processes ? `${PROCESS}/${processes.self}` : PROCESS,

    /** The problem of an alert has ended, or will unless it is raised again within `afterMs`. Nothing if it is not raised. */
    async resolve(tx: Transaction, id: string, afterMs?: number): Promise<void> {
      const known = await tx.in(alertRecords).get(id);
      if (known) endSoon(tx, known, afterMs);
    },

    /** The same for all alerts with this cause. */
    async resolveCause(tx: Transaction, cause: string): Promise<void> {
      for (const known of await tx.in(alertRecords).find('cause', { equals: [cause] })) endSoon(tx, known);
    },

    /** Raises an alert outside a transaction. If the store accepts no writes, it is posted immediately, and its retries do not survive a stop. */
    async raiseNow(condition: Condition): Promise<void> {
      try {
        await store.transaction((tx) => raise(tx, condition));
      } catch (error) {
        const known = unstored.get(condition.id);
        if (known && rankOf(known) >= rankOf(condition)) return;
        log.warn('an alert was not stored, so its retries end when the process stops', { alert: condition.id, error });
        unstored.set(condition.id, condition);
        postUnstored(bodyOf(condition, 'raised'));
      }
    },

    /** Resolves an alert outside a transaction; with `elsewhere` also one that another process has raised. */
    async resolveNow(id: string, elsewhere?: Condition): Promise<void> {
      const known = unstored.get(id) ?? elsewhere;
      unstored.delete(id);
      try {
        await store.transaction(async (tx) => {
          const stored = await tx.in(alertRecords).get(id);
          if (known && (!stored || rankOf(known) > rankOf(stored))) tx.in(alertRecords).put(recordOf(known));
          if (known ?? stored) endSoon(tx, (stored ?? known)!);
        });
      } catch (error) {
        log.warn('the end of an alert was not stored', { alert: id, error });
        if (known) postUnstored(bodyOf(known, 'resolved'));
      }
    },

    /** The sender of alerts. Also without targets, so that deliveries to targets that were removed are cancelled. */
    sender: {
      name: ALERT_SENDER,
      destination: (_, uuid) => targets.get(uuid),
      async request({ entry: { record, content }, destination }) {
        return requestOf(destination, record, content.edited ?? (await chunks.expand(content.body!)));
      },
    } satisfies ContributedSender<Target>,

    recoveries: (): Consumer =>
      consume(alertRecoveries, (job) =>
        store.transaction(async (tx) => {
          job.done(tx);
          const known = await tx.in(alertRecords).get(job.payload.alert);
          if (!known) return;
          if (isOfOther(known)) return endSoon(tx, known);
          tx.in(alertRecords).delete(known.id);
          await post(tx, known, 'resolved');
        }),
      ),

    /**
     * A problem of a process does not survive it. If the next one has it too, it is raised again before the recovery is posted, which waits
     * for the end of another process of a cluster.
     */
    async start(): Promise<void> {
      for (const { url } of targets.values()) {
        const refusal = http.refusal?.(url);
        if (refusal !== undefined) log.warn('alerts cannot be posted to a target of the option alerts', { url, reason: refusal });
      }
      for (const known of await store.open(alertRecords).list())
        if (known.number === PLATFORM && isOfProcess(known)) await store.transaction((tx) => endSoon(tx, known));
    },

    stop(): void {
      isStopped = true;
    },
  };

  async function raise(tx: Transaction, condition: Condition): Promise<void> {
    const known = await tx.in(alertRecords).get(condition.id);
    tx.cancel(alertRecoveries, condition.id);
    const isMore = known === undefined || rankOf(condition) > rankOf(known);
    const isDue = isMore || clock.now().getTime() - Date.parse(known.posted_at) >= REPEAT_MS;
    // Its highest severity, so that everyone who got it raised gets it resolved.
    const kept = recordOf(isMore ? condition : { ...condition, severity: known.severity });
    tx.in(alertRecords).put(isDue ? kept : { ...kept, posted_at: known.posted_at });
    if (!isDue) return;
    await post(tx, condition, 'raised');
    const newest = await tx.in(alertRecords).find('posted', { order: 'descending', limit: MAX_RAISED + 1 });
    for (const { id } of newest.slice(MAX_RAISED)) tx.in(alertRecords).delete(id);
  }

  function endSoon(tx: Transaction, { id, number }: Condition, afterMs = RECOVERY_MS): void {
    tx.push(alertRecoveries, { alert: id, number }, { id, notBefore: new Date(clock.now().getTime() + afterMs), group: 'alerts' });
  }

  /** Whether an alert is about another process, which still runs. */
  function isOfOther({ cause = '' }: Condition): boolean {
    const id = cause.slice(PROCESS.length + 1);
    return processes !== undefined && isOfProcess({ cause }) && id !== processes.self && processes.isRunning(id);
  }

  async function post(tx: Transaction, condition: Condition, state: Alert['state']): Promise<void> {
    const body = bodyOf(condition, state);
    const event = `${condition.id}#${state}#${body.at}`;
    for (const target of targetsFor(body))
      await deliveries.post(tx, {
        event,
        webhook: { ...target, number: condition.number },
        sender: ALERT_SENDER,
        kind: ALERTS,
        body,
        isNew: true,
      });
  }

  /** Posts without the outbox. */
  function postUnstored(alert: Alert): void {
    const queued = { uuid: ids.uuid(), run: 1, created_at: alert.at, subscription: ALERTS };
    const body = JSON.stringify(alert);
    for (const target of targetsFor(alert)) void clock.during(() => attempt(0, target));

    async function attempt(attempts: number, target: Target): Promise<void> {
      const outcome = await sender
        .send(requestOf(target, { ...queued, attempts }, body))
        .catch(
          (error: Error) => ({ kind: 'unreachable', permanent: false, code: 'NOT_SENT', reason: error.message, elapsedMs: 0 }) as const,
        );
      const result = classify(outcome, defaultRetryPolicy);
      if (result.kind === 'delivered') return;
      const gapMs = result.kind === 'retry' ? defaultRetryPolicy.gapsMs[attempts] : undefined;
      if (gapMs !== undefined && !isStopped) clock.after(gapMs, () => attempt(attempts + 1, target));
      else log.warn('an alert was not delivered', { alert: alert.id, delivery_id: queued.uuid, error: result.error });
    }
  }

  function requestOf(
    { url, key }: Target,
    record: Pick<DeliveryRecord, 'uuid' | 'run' | 'attempts' | 'created_at' | 'subscription'>,
    body: string,
  ): OutboundRequest {
    return {
      method: 'POST',
      url,
      headers: {
        ...identityOf(dialect, record),
        'Content-Type': 'application/json',
        [dialect.headers.subscription]: record.subscription,
      },
      body,
      signatures: key ? [{ header: dialect.headers.signature, key }] : [],
      deadlineMs: defaultRetryPolicy.deadlineMs,
      maxResponseBytes: RESPONSE_READ_BYTES,
      bodyMatters: false,
    };
  }

  function targetsFor(alert: Pick<Alert, 'severity'>): Target[] {
    return [...targets.values()].filter(({ rank }) => rankOf(alert) >= rank);
  }

  function recordOf(condition: Condition): AlertRecord {
    return withoutUndefined({ ...condition, posted_at: clock.now().toISOString() });
  }

  function bodyOf({ id, name, severity, text, about }: Condition, state: Alert['state']): Alert {
    return { id, state, severity, name, text: state === 'raised' ? text : `Resolved: ${text}`, about, at: clock.now().toISOString() };
  }
}

/** Begins the cause of an alert about a process; the id of the process follows in a cluster. */
const PROCESS = 'process';
const isOfProcess = ({ cause }: Pick<Condition, 'cause'>): boolean => cause === PROCESS || cause?.startsWith(`${PROCESS}/`) === true;

const rankOf = ({ severity }: Pick<Alert, 'severity'>): number => severities.indexOf(severity);

/** The same after a restart, so that deliveries to a target find it. */
const uuidOf = (url: string): string => `alerts-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`;

function targetOf({ url, from = 'warning', secret }: AlertTarget): Target {
  const key = secret === undefined ? undefined : { id: `${uuidOf(url)}#${uuidOf(secret)}`, read: async () => secret };
  return { uuid: uuidOf(url), number: PLATFORM, enabled: true, lane: 'high', url, rank: rankOf({ severity: from }), key };
}
