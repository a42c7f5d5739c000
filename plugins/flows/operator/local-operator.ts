import { createHash } from 'node:crypto';
import { Conflict, type PluginContext, type Transaction, UniqueViolation, withoutUndefined } from '#core';
import { allowedStatuses, type FlowAction, healthMoves, lifeCycle } from '../life-cycle.js';
import {
  type DefinitionRecord,
  definitions,
  type FlowRecord,
  flowCounts,
  flowRecords,
  type PreviewRecord,
  previews,
  throttles,
} from '../records.js';
import { createFlowValidation } from '../validate/flow-validation.js';
import type { FlowValidation, ValidateOptions } from '../validate/result.js';
import { admission } from './admission.js';
import { type Flow, type FlowAsset, type FlowCategory, type FlowOperator, FlowRefused, type FlowStatus } from './flow-operator.js';
import { createDownloadLinks } from './links.js';

const ID_DIGITS = 16;
const TOKEN_BYTES = 24;
/** Lifetime of a preview URL (Limits, "Preview URL lifetime"). */
const PREVIEW_MS = 30 * 24 * 60 * 60 * 1000;

export interface LocalOperatorOptions {
  /** The origins of preview and download URLs; default: the platform's public URL. */
  readonly previewHost?: string | undefined;
  readonly downloadHost?: string | undefined;
  readonly newerVersions?: ValidateOptions['newerVersions'];
}

export type LocalOperator = ReturnType<typeof createLocalOperator>;

/** The default operator: stores flows in the platform's store, validates them, and creates their download and preview URLs. */
export function createLocalOperator(context: PluginContext, options: LocalOperatorOptions = {}) {
  const { store, clock, ids, workers, publicUrl } = context;
  const records = store.open(flowRecords);
  const links = createDownloadLinks(context);
  const validation = createFlowValidation(workers);
  const validated = (source: string | Uint8Array): Promise<FlowValidation> =>
    clock.during(() => validation(source, options.newerVersions ? { newerVersions: options.newerVersions } : {}));

  const operator = {
    async create(account, { name, categories, definition, publish }) {
      const { errors, hints, outline } = await validated(definition);
      return withUniqueName(name, () =>
        store.transaction(async (tx) => {
          const flows = tx.in(flowRecords);
          const now = clock.now().toISOString();
          const flow: FlowRecord = {
            id: ids.digits(ID_DIGITS),
            account,
            position: await nextPosition(tx, account),
            name,
            status: publish && errors.length === 0 ? 'PUBLISHED' : 'DRAFT',
            categories: [...categories],
            validation_errors: errors,
            hints,
            outline,
            created_at: now,
            updated_at: now,
          };
          flows.put(flow);
          tx.in(definitions).put(definitionOf(flow.id, definition));
          return { id: flow.id, validation_errors: errors };
        }),
      );
    },

    async update(account, id, { endpoint_uri: uri, application_id: application, ...change }) {
      await withUniqueName(change.name ?? '', () =>
        applyAction(account, id, 'update', ({ endpoint_uri, application_id, ...flow }) => ({
          ...flow,
          ...withoutUndefined(change),
          ...withoutUndefined({ endpoint_uri: applyChange(endpoint_uri, uri), application_id: applyChange(application_id, application) }),
        })),
      );
    },

    /** With `replaced`, the SHA-256 of a definition, replaces only that one. @throws Conflict if another one is stored */
    async upload(account, id, bytes, replaced?: string) {
      // Refuses early, before up to 10 MB are validated. The check inside the transaction decides.
      const current = await records.get(id);
      nextStatus(current?.account === account ? current : undefined, id, 'upload');
      const { errors, hints, outline } = await validated(bytes);
      await applyAction(account, id, 'upload', async (flow, tx) => {
        if (replaced !== undefined && (await tx.in(definitions).get(id))?.sha256 !== replaced) {
          throw new Conflict(
            'flow_changed',
            `Flow ${id} was changed after you read it. Read it again, and send the new text with the sha256 of that definition`,
          );
        }
        tx.in(definitions).put(definitionOf(id, bytes));
        return { ...flow, validation_errors: errors, hints, outline };
      });
      return errors;
    },

    async publish(account, id) {
      await applyAction(account, id, 'publish', (flow) => {
        if (flow.validation_errors.length > 0) {
          throw new FlowRefused('has_errors', `Flow ${id} has ${plural(flow.validation_errors.length, 'validation error')}`);
        }
        if (flow.endpoint_uri !== undefined && flow.application_id === undefined) {
          throw new FlowRefused('no_application', `Flow ${id} has an endpoint_uri and requires an application_id`);
        }
        return flow;
      });
    },

    delete: (account, id) => applyAction(account, id, 'delete', (flow) => flow),
    deprecate: (account, id) => applyAction(account, id, 'deprecate', (flow) => flow),

    async list(account, { limit, after, before } = {}) {
      const all = await records.find('position', { equals: [account] });
      const from = after === undefined ? 0 : positionAt(after);
      const to = before === undefined ? Number.POSITIVE_INFINITY : positionAt(before);
      const start = all.filter(({ position }) => position <= from).length;
      const end = all.filter(({ position }) => position < to).length;
      const first = limit !== undefined && before !== undefined && after === undefined ? Math.max(start, end - limit) : start;
      const page = all.slice(first, Math.min(end, first + (limit ?? all.length)));
      const [head, tail] = [page[0], page.at(-1)];
      return {
        flows: page.map(toFlow),
        ...(head && head !== all[0] && { before: cursorOf(head) }),
        ...(tail && tail !== all.at(-1) && { after: cursorOf(tail) }),
      };
    },

    async assets(account, id): Promise<readonly FlowAsset[]> {
      requireOwned(await records.get(id), account, id);
      const host = options.downloadHost ?? publicUrl();
      return [{ name: 'flow.json', asset_type: 'FLOW_JSON', download_url: `${host}/flow-assets/${id}/flow.json?${links.query(id)}` }];
    },

    async preview(account, id, { invalidate }) {
      return store.transaction(async (tx) => {
        requireOwned(await tx.in(flowRecords).get(id), account, id);
        const current = await tx.in(previews).get(id);
        const isValid = current !== undefined && Date.parse(current.expires_at) > clock.now().getTime();
        const preview = isValid && !invalidate ? current : newPreview(id);
        if (preview !== current) tx.in(previews).put(preview);
        const host = options.previewHost ?? publicUrl();
        return { preview_url: `${host}/flow-preview/${id}?token=${preview.token}`, expires_at: new Date(preview.expires_at) };
      });
    },

    async admit(tx, account, sent) {
      const flow = await tx.in(flowRecords).get(sent.flow_id);
      return admission(tx, flow?.account === account ? flow : undefined, sent, clock);
    },
  } satisfies FlowOperator;

  return {
    ...operator,
    links,
    /** Validates a definition without storing it, as `create` and `upload` do. */
    validate: validated,

    get: (id: string): Promise<FlowRecord | undefined> => records.get(id),
    all: (): Promise<FlowRecord[]> => records.list(),
    previewOf: (id: string): Promise<PreviewRecord | undefined> => store.open(previews).get(id),
    ownerOf: async (tx: Transaction, id: string): Promise<string | undefined> => (await tx.in(flowRecords).get(id))?.account,

    async definition(id: string): Promise<{ readonly bytes: Buffer; readonly sha256: string } | undefined> {
      const found = await store.open(definitions).get(id);
      return found && { bytes: Buffer.from(found.content, found.encoding), sha256: found.sha256 };
    },

    /** Sets a status that, on the network, follows from the health of the flow's endpoint. @throws FlowRefused `not_found`, `invalid_status` */
    async setHealth(id: string, status: FlowStatus): Promise<FlowRecord> {
      return store.transaction(async (tx) => {
        const flow = await tx.in(flowRecords).get(id);
        if (!flow) throw notFound(id);
        if (flow.status !== status && !healthMoves[flow.status].includes(status)) {
          throw new FlowRefused(
            'invalid_status',
            `A flow that is ${flow.status} cannot become ${status}; possible: ${healthMoves[flow.status].join(', ') || 'none'}`,
          );
        }
        const changed = { ...flow, status };
        tx.in(flowRecords).put(changed);
        return changed;
      });
    },
  };

  /** Applies an action of the life cycle together with its `change`, in one transaction. */
  function applyAction(
    account: string,
    id: string,
    action: FlowAction,
    change: (flow: FlowRecord, tx: Transaction) => FlowRecord | Promise<FlowRecord>,
  ): Promise<void> {
    return store.transaction(async (tx) => {
      const flow = requireOwned(await tx.in(flowRecords).get(id), account, id);
      const status = nextStatus(flow, id, action);
      const changed = await change(flow, tx);
      if (status !== 'removed') {
        tx.in(flowRecords).put({ ...changed, status, updated_at: clock.now().toISOString() });
        return;
      }
      tx.in(flowRecords).delete(id);
      for (const of of [definitions, previews, throttles]) tx.in<{ flow: string }>(of as never).delete(id);
    });
  }

  function newPreview(flow: string): PreviewRecord {
    // Rounded down to seconds, the precision of the API's `expires_at`.
    const now = Math.floor(clock.now().getTime() / 1000) * 1000;
    const expiresAt = new Date(now + PREVIEW_MS);
    clock.noteExpiry?.(expiresAt, { kind: 'preview', id: flow, title: `expiry of the preview of flow ${flow}` });
    return { flow, token: ids.secret(TOKEN_BYTES), expires_at: expiresAt.toISOString() };
  }
}

function nextStatus(flow: FlowRecord | undefined, id: string, action: FlowAction): FlowStatus | 'removed' {
  if (!flow) throw notFound(id);
  const status = lifeCycle[flow.status][action];
  if (status === 'invalid')
    throw new FlowRefused('invalid_status', `Flow ${id} is ${flow.status}; ${action} requires ${allowedStatuses(action)}`);
  return status;
}

function requireOwned(flow: FlowRecord | undefined, account: string, id: string): FlowRecord {
  if (flow?.account !== account) throw notFound(id);
  return flow;
}

const notFound = (id: string): FlowRefused =>
  new FlowRefused('not_found', `This business account has no flow ${JSON.stringify(id.slice(0, 100))}`);

/** Translates a unique violation of (account, name). @throws FlowRefused `name_taken` */
async function withUniqueName<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UniqueViolation && error.index === 'name') {
      throw new FlowRefused('name_taken', `A flow with the name ${JSON.stringify(name)} already exists`);
    }
    throw error;
  }
}

function definitionOf(flow: string, source: string | Uint8Array): DefinitionRecord {
  const bytes = typeof source === 'string' ? Buffer.from(source) : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const text = bytes.toString();
  const isText = typeof source === 'string' || Buffer.from(text).equals(bytes);
  return { flow, sha256, ...(isText ? { encoding: 'utf8', content: text } : { encoding: 'base64', content: bytes.toString('base64') }) };
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

async function nextPosition(tx: Transaction, account: string): Promise<number> {
  // Data of earlier versions has no `flowCounts`, so the last position counts too.
  const [last] = await tx.in(flowRecords).find('position', { equals: [account], order: 'descending', limit: 1 });
  const made = Math.max((await tx.in(flowCounts).get(account))?.made ?? 0, last?.position ?? 0) + 1;
  tx.in(flowCounts).put({ account, made });
  return made;
}

/** A cursor refers to a position, not to a flow, so that it stays valid after the flow is deleted. */
const cursorOf = ({ position }: FlowRecord): string => `at-${position}`;

/** @throws FlowRefused */
function positionAt(cursor: string): number {
  const [, position] = /^at-(\d{1,15})$/.exec(cursor) ?? [];
  if (position !== undefined) return Number(position);
  throw new FlowRefused('unknown_cursor', `${JSON.stringify(cursor)} is not a cursor; use one from paging.cursors of an earlier response`);
}

/** Null removes the value; undefined leaves it as it is. */
const applyChange = (current: string | undefined, change: string | null | undefined): string | undefined =>
  change === undefined ? current : (change ?? undefined);

const toFlow = ({
  id,
  name,
  status,
  categories,
  validation_errors,
  endpoint_uri,
  application_id,
  outline,
  updated_at,
}: FlowRecord): Flow => ({
  id,
  name,
  status,
  categories: categories as readonly FlowCategory[],
  validation_errors,
  endpoint_uri,
  application_id,
  json_version: outline.version,
  data_api_version: outline.data_api_version,
  updated_at: new Date(updated_at),
});
