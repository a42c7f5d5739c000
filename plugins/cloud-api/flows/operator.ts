import type { PluginContext } from '#core';
import { ServiceUnreachable } from '#core/messaging';
import { type Flow, type FlowAsset, type FlowPage, FlowRefused } from '../../flows/plugin.js';
import type { Graph, GraphCall } from '../graph/client.js';
import { GraphError } from '../graph/errors.js';
import { everyItem, type Page } from '../graph/paging.js';
import type { Connections } from '../numbers/connections.js';
import { flowPositions } from '../records.js';
import type { HostingOperator } from './flow-operator.js';
import {
  dateOf,
  errorsOf,
  FLOW_FIELDS,
  flowOf,
  flowPreview,
  type GraphFlow,
  type GraphFlowError,
  listedAssets,
  listedFlows,
  madeFlow,
  oneFlow,
  uploadedFlow,
} from './graph-flow.js';
import { apiErrorOf, type FlowAction, isUnknownObject, nameTaken, notFound, refusalOf, requirePermitted } from './refusals.js';
import { admission, remember } from './statuses.js';

const PAGE = 100;
const CURSOR = /^flow-([1-9]\d{0,15})$/;

interface Created {
  readonly id: string;
  readonly validation_errors?: readonly GraphFlowError[] | null;
}

type Call = Omit<GraphCall, 'token'>;

/** The operator of the flows of connected accounts: each account is the id of a business account, and its flows are on the network. */
export function createGraphFlows(
  { store }: Pick<PluginContext, 'store'>,
  connections: Connections,
  graph: Graph,
): HostingOperator & { read(account: string, id: string): Promise<Flow> } {
  const positions = store.open(flowPositions);

  return {
    admit: admission,
    /** A flow of the account as the network has it now. @throws FlowRefused `not_found` */
    read: owned,
    hosts: async (account) => (await connections.byAccount(account)).length > 0,

    async create(account, { name, categories, definition, publish }) {
      const created = await createDraft(account, { name, categories, flow_json: definition });
      await rememberAll(account, [{ id: created.id, status: 'DRAFT' }]);
      const errors = errorsOf(created.validation_errors);
      // A second call: what the network does with `publish: true` and errors is not documented.
      if (publish && errors.length === 0) await publishNew(account, created.id);
      return { id: created.id, validation_errors: errors };
    },

    async update(account, id, { name, categories, endpoint_uri, application_id }) {
      const flow = await owned(account, id);
      requirePermitted(flow, 'update');
      const json = {
        ...(name !== undefined && { name }),
        ...(categories && { categories }),
        // The network documents no way to remove these fields; an empty text is the usual one of its API.
        ...(endpoint_uri !== undefined && { endpoint_uri: endpoint_uri ?? '' }),
        ...(application_id !== undefined && { application_id: application_id ?? '' }),
      };
      try {
        await call(account, { method: 'POST', path: `/${id}`, json });
      } catch (error) {
        if (error instanceof GraphError && name !== undefined && (await hasName(account, name, id))) throw nameTaken(name);
        throw await refused(error, account, id, 'update');
      }
      if (endpoint_uri === null || application_id === null) await requireRemoved(account, id, { endpoint_uri, application_id });
    },

    async upload(account, id, definition) {
      // The network turns a published flow back into a draft on upload; the API specification refuses the upload.
      requirePermitted(await owned(account, id), 'upload');
      const file = { bytes: definition, type: 'application/json', filename: 'flow.json' };
      const uploaded = await act<Omit<Created, 'id'>>(account, id, 'upload', {
        method: 'POST',
        path: `/${id}/assets`,
        form: [
          ['name', 'flow.json'],
          ['asset_type', 'FLOW_JSON'],
          ['file', file],
        ],
        reads: uploadedFlow,
      });
      return errorsOf(uploaded.validation_errors);
    },

    publish: (account, id) => apply(account, id, 'publish', { method: 'POST', path: `/${id}/publish` }),
    delete: (account, id) => apply(account, id, 'delete', { method: 'DELETE', path: `/${id}` }),
    deprecate: (account, id) => apply(account, id, 'deprecate', { method: 'POST', path: `/${id}/deprecate` }),

    async list(account, page = {}) {
      if (!(await isConnected(account))) return { flows: [] };
      const found = new Map((await all(account)).map((flow) => [flow.id, flowOf(flow)]));
      await rememberAll(account, [...found.values()]);
      const known = await positions.find('position', { equals: [account] });
      const listed = known.flatMap(({ id, position }) => {
        const flow = found.get(id);
        return flow ? [{ flow, position }] : [];
      });
      const isKnown = (position: number): boolean => known.some((one) => one.position === position);
      return pageOf(listed, page, isKnown);
    },

    async assets(account, id) {
      await owned(account, id);
      const { data } = await called<{ data: FlowAsset[] }>(account, { method: 'GET', path: `/${id}/assets`, reads: listedAssets });
      return data.map(({ name, asset_type, download_url }) => ({ name, asset_type, download_url }));
    },

    async preview(account, id, { invalidate }) {
      await owned(account, id);
      const { preview } = await called<{ preview: { preview_url: string; expires_at: string } }>(account, {
        method: 'GET',
        path: `/${id}`,
        query: { fields: `preview.invalidate(${invalidate})` },
        // A repeated call would revoke the URL that the first one made.
        isRepeatable: true,
        reads: flowPreview,
      });
      return { preview_url: preview.preview_url, expires_at: dateOf(preview.expires_at) };
    },
  };

  async function isConnected(account: string): Promise<boolean> {
    return (await connections.byAccount(account)).length > 0;
  }

  /** Calls the network with the token of the account. @throws FlowRefused `not_found` for an account without a connected number */
  async function call<T>(account: string, request: Call): Promise<T> {
    const [connection] = await connections.byAccount(account);
    if (!connection) throw new FlowRefused('not_found', `No number of the business account ${account} is connected`);
    return graph.call<T>({ ...request, token: await connections.secret(connection.number, 'accessToken') });
  }

  /** The same, with errors of this API. */
  async function called<T>(account: string, request: Call): Promise<T> {
    return call<T>(account, request).catch((error: unknown) => {
      throw apiErrorOf(error);
    });
  }

  async function act<T>(account: string, id: string, action: FlowAction, request: Call): Promise<T> {
    try {
      return await call<T>(account, request);
    } catch (error) {
      throw await refused(error, account, id, action);
    }
  }

  async function apply(account: string, id: string, action: FlowAction, request: Call): Promise<void> {
    requirePermitted(await owned(account, id), action);
    await act(account, id, action, request);
  }

  async function refused(error: unknown, account: string, id: string, action: FlowAction): Promise<unknown> {
    return error instanceof GraphError ? refusalOf(error, await owned(account, id), action) : apiErrorOf(error);
  }

  /** A flow of the account. A token may see flows of several accounts, so the account is compared. @throws FlowRefused `not_found` */
  async function owned(account: string, id: string): Promise<Flow> {
    if (!/^\d{1,32}$/.test(id)) throw notFound(id);
    try {
      const flow = await call<GraphFlow>(account, { method: 'GET', path: `/${id}`, query: { fields: FLOW_FIELDS }, reads: oneFlow });
      if (flow.whatsapp_business_account?.id !== account) throw notFound(id);
      return flowOf(flow);
    } catch (error) {
      throw isUnknownObject(error) ? notFound(id) : apiErrorOf(error);
    }
  }

  async function createDraft(account: string, json: { readonly name: string; readonly [key: string]: unknown }): Promise<Created> {
    try {
      return await call<Created>(account, { method: 'POST', path: `/${account}/flows`, json, reads: madeFlow });
    } catch (error) {
      const namesake = error instanceof FlowRefused ? undefined : await flowNamed(account, json.name);
      if (!namesake) throw apiErrorOf(error);
      // After a lost response, a flow with this name that was never seen before is the one that the call created.
      const isNew = error instanceof ServiceUnreachable && !(await positions.get(namesake.id));
      if (!isNew) throw nameTaken(json.name);
      return namesake;
    }
  }

  /** Publishes a new draft. If that fails, deletes the draft, so that the caller can repeat the whole call. */
  async function publishNew(account: string, id: string): Promise<void> {
    try {
      await act(account, id, 'publish', { method: 'POST', path: `/${id}/publish` });
    } catch (error) {
      const flow = await owned(account, id);
      if (flow.status === 'PUBLISHED') return;
      await called(account, { method: 'DELETE', path: `/${id}` });
      throw error;
    }
  }

  async function requireRemoved(account: string, id: string, change: Readonly<Record<string, string | null | undefined>>): Promise<void> {
    const flow = await owned(account, id);
    const kept = (['endpoint_uri', 'application_id'] as const).filter((field) => change[field] === null && flow[field] !== undefined);
    if (kept.length === 0) return;
    throw new FlowRefused('invalid_status', `The network keeps ${kept.join(' and ')} of flow ${id}; create the flow again without it`);
  }

  async function flowNamed(account: string, name: string): Promise<GraphFlow | undefined> {
    return (await all(account)).find((flow) => flow.name === name);
  }

  async function hasName(account: string, name: string, except: string): Promise<boolean> {
    const found = await flowNamed(account, name);
    return found !== undefined && found.id !== except;
  }

  /** All flows of the account, in the order of the network. */
  function all(account: string): Promise<GraphFlow[]> {
    return everyItem((after) =>
      called<Page<GraphFlow>>(account, {
        method: 'GET',
        path: `/${account}/flows`,
        query: { fields: FLOW_FIELDS, limit: PAGE, after },
        reads: listedFlows,
      }),
    ).catch((error: unknown) => {
      throw apiErrorOf(error);
    });
  }

  async function rememberAll(account: string, flows: readonly Pick<Flow, 'id' | 'status'>[]): Promise<void> {
    const known = await Promise.all(flows.map(async ({ id, status }) => (await positions.get(id))?.status === status));
    if (!known.every(Boolean)) await store.transaction((tx) => remember(tx, account, flows));
  }
}

interface Positioned {
  readonly flow: Flow;
  readonly position: number;
}

/** A page of flows in our order, with cursors that stay valid. @throws FlowRefused `unknown_cursor` */
function pageOf(all: readonly Positioned[], { limit, after, before }: FlowPage, isKnown: (position: number) => boolean) {
  const positionAt = (cursor: string): number => {
    const position = Number(CURSOR.exec(cursor)?.[1] ?? 0);
    if (!isKnown(position)) {
      throw new FlowRefused(
        'unknown_cursor',
        `${JSON.stringify(cursor)} is not a cursor; use one from paging.cursors of an earlier response`,
      );
    }
    return position;
  };
  const from = after === undefined ? 0 : positionAt(after);
  const to = before === undefined ? Number.POSITIVE_INFINITY : positionAt(before);
  const between = all.filter(({ position }) => position > from && position < to);
  const isBackwards = before !== undefined && after === undefined;
  const page = limit === undefined ? between : isBackwards ? between.slice(-limit) : between.slice(0, limit);
  const [head, tail] = [page[0], page.at(-1)];
  return {
    flows: page.map(({ flow }) => flow),
    ...(head && head !== all[0] && { before: `flow-${head.position}` }),
    ...(tail && tail !== all.at(-1) && { after: `flow-${tail.position}` }),
  };
}
