import { hostname } from 'node:os';
import { adviceIssued } from '../admin/advice.js';
import { memoryChanged } from '../admin/memory.js';
import { storeFailed, storeReopened, storeRewound } from '../admin/store.js';
import { type Condition, PLATFORM } from '../delivery/alert.js';
import { type Alerts, createAlerts, REPEAT_MS } from '../delivery/alerts.js';
import { webhookPaused, webhookResumed, webhooks } from '../delivery/webhook.js';
import { pausedCause } from '../delivery/webhooks.js';
import type { Recipes } from '../kernel/plugins/container.js';
import { adviceDismissed } from '../messaging/events.js';
import { numbers } from '../messaging/number.js';
import { beforeCommit, on, type Subscription } from '../ports/subscription.js';
import type { Transaction } from '../ports/transaction.js';
import type { AlertPart, Parts } from './parts.js';

export const alertRecipes: Recipes<AlertPart, Parts> = {
  alerts: ({ settings, store, deliveries, sender, chunks, http, dialect, ids, clock, log, masker, processes }) => {
    for (const { secret } of settings.alerts) if (secret !== undefined) masker.add(secret);
    return createAlerts({ targets: settings.alerts, store, deliveries, sender, chunks, http, dialect, ids, clock, log, processes });
  },
};

/** The parts of advice that say where a mistake is. The others may be about a contact. */
const PLACES = ['webhook', 'delivery', 'journey', 'flow', 'integration'];

/** Which process: several may raise alerts of the same name. */
const PROCESS_NAME = `${hostname()}-${process.pid}`;

/** The listeners that raise alerts and resolve them. */
export const alertSubscriptions = (alerts: Alerts): readonly Subscription[] => [
  beforeCommit(webhookPaused, async ({ webhook: uuid, because, failures, resume }, tx) => {
    const webhook = await tx.in(webhooks).get(uuid);
    if (!webhook) return;
    const isFailing = because === 'failures';
    const why = isFailing
      ? `after ${failures} failed attempts in a row. When its endpoint works`
      : 'by an operator. To send its deliveries';
    await alerts.raise(tx, {
      id: pausedId(uuid),
      name: 'webhook_paused',
      severity: isFailing ? 'warning' : 'info',
      text: `Webhook '${webhook.name}' was paused ${why}: ${resume}`,
      about: { number: webhook.number, webhook: uuid },
      number: webhook.number,
      cause: pausedCause(uuid),
    });
  }),
  beforeCommit(webhookResumed, ({ webhook }, tx) => alerts.resolve(tx, pausedId(webhook))),
  beforeCommit(adviceIssued, async ({ advice: { id, name, number, about = {}, cause, fix }, severity }, tx) => {
    const of = number === undefined ? '' : ` for number '${await nameOf(tx, number)}'`;
    // A mistake in many messages is one problem of their number. It ends after a day without one: operators do not dismiss advice on each.
    const isOfMany = cause !== undefined && (cause === about.message || cause === about.delivery);
    const alert = isOfMany ? `advice/${name}/${number ?? PLATFORM}` : `advice/${id}`;
    // Texts of advice may name contacts, except the fix of advice with a severity.
    const details = `read it with GET /admin/v1/advice or npx posthorn advice`;
    await alerts.raise(tx, {
      id: alert,
      name,
      severity: severity ?? 'info',
      text: `Advice '${name}' was issued${of}: ${severity === undefined ? details : `${fix} For details, ${details}`}`,
      about: {
        advice: id,
        ...(number !== undefined && { number }),
        ...Object.fromEntries(Object.entries(about).filter(([kind]) => PLACES.includes(kind))),
      },
      number: number ?? PLATFORM,
      ...(!isOfMany && { cause }),
    });
    if (isOfMany) await alerts.resolve(tx, alert, REPEAT_MS);
  }),
  beforeCommit(adviceDismissed, async ({ id, cause }, tx) => {
    if (id !== undefined) await alerts.resolve(tx, `advice/${id}`);
    if (cause !== undefined) await alerts.resolveCause(tx, cause);
  }),
  on(memoryChanged, ({ state, live_bytes, safe_bytes, fix }) =>
    state === 'enough'
      ? alerts.resolveNow(MEMORY)
      : alerts.raiseNow({
          ...ofProcess(alerts),
          id: MEMORY,
          name: 'memory_short',
          severity: state === 'high' ? 'warning' : 'critical',
          text: `Memory is ${state} in process ${PROCESS_NAME}: ${mebibytes(live_bytes)} of ${mebibytes(safe_bytes)} MiB. ${fix}`,
          about: {},
        }),
  ),
  on(storeFailed, ({ reason }) =>
    alerts.raiseNow({
      ...ofProcess(alerts),
      id: STORE,
      name: 'store_failed',
      severity: 'critical',
      text: `The store accepts no writes in process ${PROCESS_NAME}: ${reason}. Calls that would store something get 503. Repair the disk, then POST /admin/v1/store/reopen`,
      about: {},
    }),
  ),
  on(storeReopened, () => alerts.resolveNow(STORE)),
  on(storeRewound, ({ id, shard, transactions }) => alerts.raiseNow(lossAlert(id, shard, transactions))),
];

/** A problem of a process ends with it. */
const ofProcess = ({ ofProcess: cause }: Alerts) => ({ number: PLATFORM, cause });
const MEMORY = `memory_short/${PROCESS_NAME}`;
const STORE = `store_failed/${PROCESS_NAME}`;
const pausedId = (webhook: string): string => `webhook_paused/${webhook}`;
const mebibytes = (bytes: number): number => Math.round(bytes / (1 << 20));

/** Resolved when an operator confirms the loss, in any process. */
export const lossAlert = (id: string, shard: string, transactions: number): Condition => ({
  id: `transactions_lost/${id}`,
  name: 'transactions_lost',
  severity: 'critical',
  text: `The database has lost ${transactions} transactions of ${shard}, in a fail-over or because a backup was restored. GET /admin/v1/store/losses lists their documents; PATCH /admin/v1/store/losses/${id} confirms it`,
  about: { shard },
  number: PLATFORM,
});

async function nameOf(tx: Transaction, number: string): Promise<string> {
  return (await tx.in(numbers).get(number))?.name ?? number;
}
