import { advice, type Consumer, consume, type JsonObject, type NumberRecord, type PluginContext, queue, type Transaction } from '#core';
import { ServiceUnreachable } from '#core/messaging';
import type { Graph } from '../graph/client.js';
import { GraphError } from '../graph/errors.js';
import type { Connections } from '../numbers/connections.js';
import type { EventHandler } from '../receiving/account-events.js';
import { connections as connectionRecords, type TemplateName, templateExtras, templateKey } from '../records.js';
import { listTemplates } from './list.js';
import { type NetworkTemplate, placeholderNames, statusOf, templateOf, unsendableParts } from './network-template.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const AFTER_FAILURE_MS = 60 * 60 * 1000;
const FIELDS = 'id,name,language,status,category,components';

/** Errors after which the stored templates differ from those of the network. */
const TEMPLATE_CODES = new Set([132000, 132001, 132012, 132015, 132016, 132018]);
/** The status of a template that an error reports, by code. */
const SAID_BY: Readonly<Record<number, string>> = { 132015: 'PAUSED', 132016: 'DISABLED' };

/** Jobs that read the templates of a business account. */
const reads = queue<{ account: string }>('cloud-api.templates', ({ account }) => ({
  kind: 'templates',
  id: account,
  title: `templates of the business account ${account}`,
}));

/** Keeps the templates of connected numbers equal to those of their business accounts. */
export type TemplateSync = ReturnType<typeof createTemplateSync>;

export function createTemplateSync(context: PluginContext, connections: Connections, graph: Graph) {
  const { store, numbers, templates, clock, log } = context;

  /** Reads the templates of an account soon. There is one such job for each account. */
  const readSoon = (tx: Transaction, account: string, delayMs = 0): void =>
    void tx.push(reads, { account }, { id: account, notBefore: new Date(clock.now().getTime() + delayMs) });

  return {
    readSoon,

    /** Reads the templates of all accounts. Runs at each start. */
    start: async (): Promise<void> => {
      const accounts = new Set((await connections.list()).map(({ waba_id }) => waba_id));
      await store.transaction(async (tx) => {
        for (const account of accounts) readSoon(tx, account);
      });
    },

    /** Reads the templates of an account now, and stores them for its numbers. @throws GraphError, ServiceUnreachable */
    readNow,

    /** Reads accounts at start, daily, and after changes. */
    consumer(): Consumer {
      return consume(reads, async (job) => {
        const { account } = job.payload;
        const delayMs = await readNow(account).then(
          () => DAY_MS,
          (error: unknown) => {
            if (!(error instanceof GraphError || error instanceof ServiceUnreachable)) throw error;
            log.warn('the templates of a business account cannot be read', { account, error });
            return AFTER_FAILURE_MS;
          },
        );
        const isConnected = (await connections.byAccount(account)).length > 0;
        await store.transaction(async (tx) => {
          job.done(tx);
          if (isConnected) readSoon(tx, account, delayMs);
        });
      });
    },

    /** The network has refused a message with a template: stores what the code says about the template, and reads the templates again. */
    async refused(tx: Transaction, number: NumberRecord, template: TemplateName, code: number): Promise<void> {
      const { waba_id: account } = (await connections.of(number.uuid)) ?? {};
      if (account === undefined || !TEMPLATE_CODES.has(code)) return;
      const event = SAID_BY[code];
      if (event !== undefined)
        await setStatus(tx, number, { event, message_template_name: template.name, message_template_language: template.language });
      readSoon(tx, account);
    },

    /** Webhooks about templates: a status is stored immediately, and the template read again for anything else. */
    events(): EventHandler {
      return async (tx, number, field, value) => {
        const isStatus = field === 'message_template_status_update';
        if (!isStatus && field !== 'message_template_quality_update' && field !== 'template_category_update') return false;
        const { waba_id: account } = (await connections.of(number.uuid)) ?? {};
        if (account === undefined) return true;
        if (isStatus) await setStatus(tx, number, value);
        readSoon(tx, account);
        return true;
      };
    },
  };

  async function readNow(account: string): Promise<number> {
    const connected = await connections.byAccount(account);
    const [first] = connected;
    if (!first) return 0;
    const token = await connections.secret(first.number, 'accessToken');
    const listed = await listTemplates(graph, { account, token, fields: FIELDS });
    for (const { number } of connected) await replace(number, account, listed);
    return listed.length;
  }

  /** Stores the templates of a number, and deletes those that the network no longer has. */
  async function replace(uuid: string, account: string, listed: readonly NetworkTemplate[]): Promise<void> {
    const number = await numbers.get(uuid);
    if (!number) return;
    const known = await templates.list(uuid);
    await store.transaction(async (tx) => {
      const connection = await tx.in(connectionRecords).get(uuid);
      // It was disconnected, or connected with another account, during the read.
      if (connection?.waba_id !== account) return;
      tx.in(connectionRecords).put({ ...connection, templates_read_at: clock.now().toISOString() });
      for (const theirs of listed) {
        const ours = templateOf(theirs);
        if (ours) await templates.put(tx, number, ours);
        await storeExtra(tx, uuid, theirs);
      }
      for (const { uuid, name, language } of known) {
        if (!listed.some((theirs) => theirs.name === name && theirs.language === language)) await templates.delete(tx, uuid);
      }
    });
  }

  async function storeExtra(tx: Transaction, number: string, template: NetworkTemplate): Promise<void> {
    const key = templateKey(number, template);
    const [unsendable, names] = [unsendableParts(template), placeholderNames(template)];
    if (unsendable.length + names.header.length + names.body.length > 0) tx.in(templateExtras).put({ key, number, unsendable, names });
    else if (await tx.in(templateExtras).get(key)) tx.in(templateExtras).delete(key);
  }

  async function setStatus(tx: Transaction, number: NumberRecord, value: JsonObject): Promise<void> {
    const { event, message_template_name: name, message_template_language: language, reason } = value;
    const status = await put(tx, number, { name: String(name), language: String(language) }, String(event));
    if (status !== 'REJECTED' && status !== 'PAUSED') return;
    tx.emit(advice, {
      name: 'cloud_api_template',
      severity: 'warning',
      number: number.uuid,
      message: `The network reports ${String(event)} for template ${String(name)} (${String(language)})${reasonIn(reason)}. It can no longer be sent.`,
      fix: 'Look at the template in the business manager: it shows the reason, and there you can change or appeal it.',
    });
  }

  /** Stores a status of the network. @returns our status; undefined if the template is unknown */
  async function put(tx: Transaction, number: NumberRecord, { name, language }: TemplateName, event: string) {
    const template = (await templates.list(number.uuid)).find((one) => one.name === name && one.language === language);
    if (!template) return undefined;
    const status = statusOf(event);
    const { uuid: _uuid, number: _number, created_at, updated_at, ...rest } = template;
    await templates.put(tx, number, { ...rest, status });
    return status;
  }
}

const reasonIn = (reason: unknown): string => (typeof reason === 'string' && reason !== 'NONE' ? `, reason ${reason}` : '');
