import type { RecordedCall, Reply } from '#core/testing';
import { accountOf, selected } from './accounts.js';
import { presentFields } from './fields.js';
import type { GraphNodes, GraphRequest } from './graph.js';
import { GraphError } from './graph-error.js';
import type { Network } from './network.js';
import { pageOf } from './paging.js';
import type { StandInFlowError, StandInNumber } from './settings.js';

export type StandInFlowStatus = 'DRAFT' | 'PUBLISHED' | 'DEPRECATED' | 'THROTTLED' | 'BLOCKED';

/** A flow of an account. */
export interface StandInFlow {
  readonly id: string;
  readonly wabaId: string;
  readonly name: string;
  readonly status: StandInFlowStatus;
  readonly categories: readonly string[];
  readonly definition: Uint8Array;
  readonly validation_errors: readonly StandInFlowError[];
  readonly endpoint_uri: string | undefined;
  readonly application_id: string | undefined;
  readonly updatedAt: Date;
  readonly preview: { readonly url: string; readonly expiresAt: Date } | undefined;
}

const PREVIEW_MS = 30 * 24 * 60 * 60 * 1000;
const PREVIEW_FIELD = /\bpreview(?:\.invalidate\((true|false)\))?/;
const EMPTY = new TextEncoder().encode('{}');
const DEFAULT_FIELDS = ['id', 'name', 'status', 'categories', 'validation_errors'];

/** A date as Graph writes it. */
const graphDate = (at: Date): string => `${at.toISOString().slice(0, 19)}+0000`;

/** `/{waba-id}/flows` and `/{flow-id}`. */
export class Flows implements GraphNodes {
  readonly #network: Network;
  readonly #baseUrl: () => string;
  readonly #validate: (definition: Uint8Array) => readonly StandInFlowError[];
  readonly #flows = new Map<string, StandInFlow>();

  constructor(parts: { network: Network; baseUrl: () => string; validate: (definition: Uint8Array) => readonly StandInFlowError[] }) {
    this.#network = parts.network;
    this.#baseUrl = parts.baseUrl;
    this.#validate = parts.validate;
  }

  has(id: string): boolean {
    return this.#flows.has(id);
  }

  list(): StandInFlow[] {
    return [...this.#flows.values()];
  }

  async call(request: GraphRequest): Promise<unknown> {
    const flow = this.#flows.get(request.id);
    return flow ? this.#onFlow(flow, request) : this.#onAccount(request);
  }

  /** Refuses messages with flows that cannot be sent. @throws GraphError 131009, 132068, 132069 */
  check({ wabaId }: StandInNumber, { interactive }: Readonly<Record<string, unknown>>): undefined {
    const { type, action } = Object(interactive) as { type?: string; action?: { parameters: Record<string, string> } };
    if (type !== 'flow' || !action) return undefined;
    const { flow_id, flow_name, mode = 'published' } = action.parameters;
    const flow = this.list().find((one) => one.wabaId === wabaId && (one.id === flow_id || one.name === flow_name));
    if (!flow) throw new GraphError(131009, `The parameter flow_id is not a flow of this account: ${flow_id ?? flow_name}.`);
    if (flow.status === 'THROTTLED') throw new GraphError(132069, 'The flow is throttled: 10 messages an hour have been sent.');
    if (flow.status === 'BLOCKED') throw new GraphError(132068, 'The flow is blocked.');
    if ((flow.status === 'DRAFT') === (mode === 'draft')) return undefined;
    throw new GraphError(131009, `The flow is ${flow.status}, and the mode of the message is ${mode}.`);
  }

  /** Sets a status, as the network does for its own reasons, and emits the webhook. */
  async changeStatus(id: string, status: StandInFlowStatus): Promise<void> {
    const flow = this.#flows.get(id);
    if (!flow) throw new Error(`there is no flow ${id}`);
    this.#put({ ...flow, status });
    const message = `Flow ${flow.name} changed from ${flow.status} to ${status}.`;
    const value = { event: 'FLOW_STATUS_CHANGE', flow_id: id, old_status: flow.status, new_status: status, message };
    await this.#network.webhooks.emit([{ wabaId: flow.wabaId, field: 'flows', value }]);
  }

  /** Serves the definition of a flow to a plain GET. */
  download(call: RecordedCall): Reply {
    const flow = this.#flows.get(new URL(call.url).pathname.split('/').at(-1)!);
    return flow ? { headers: { 'content-type': 'application/json' }, body: flow.definition } : { status: 404, body: 'Not found' };
  }

  async #onAccount({ method, id, edge, query, ...request }: GraphRequest): Promise<unknown> {
    if (edge !== 'flows') return undefined;
    if (method === 'GET') {
      const flows = this.list().filter(({ wabaId }) => wabaId === id);
      return pageOf(flows, query, (flow) => this.#shown(flow, query));
    }
    if (method !== 'POST') return undefined;
    const { name, categories, flow_json: json, endpoint_uri, application_id, publish } = presentFields(await request.fields());
    const { flowErrors, publishWithErrors } = this.#network.switches;
    if (typeof name !== 'string' || name === '') throw this.#invalid('The parameter name is required.');
    this.#requireUnique(id, name);
    const definition = typeof json === 'string' ? new TextEncoder().encode(json) : EMPTY;
    const errors = typeof json === 'string' ? this.#validate(definition) : [];
    const isPublished = isTrue(publish) && errors.length === 0;
    if (isTrue(publish) && !isPublished && publishWithErrors === 'refuse')
      throw this.#refuse(flowErrors === 100 ? 100 : 139002, HAS_ERRORS);
    const flow: StandInFlow = {
      id: this.#network.id(),
      wabaId: id,
      name,
      status: isPublished ? 'PUBLISHED' : 'DRAFT',
      categories: categoriesIn(categories),
      definition,
      validation_errors: errors,
      endpoint_uri: textOrNothing(endpoint_uri),
      application_id: textOrNothing(application_id),
      updatedAt: this.#network.clock.now(),
      preview: undefined,
    };
    if (flow.categories.length === 0) throw this.#invalid('The parameter categories is required.');
    this.#put(flow);
    return { id: flow.id, success: true, validation_errors: errors };
  }

  async #onFlow(flow: StandInFlow, request: GraphRequest): Promise<unknown> {
    const { method, edge } = request;
    if (method === 'GET') return this.#read(flow, request);
    if (method === 'DELETE' && edge === '') {
      if (flow.status !== 'DRAFT') throw this.#refuse(139004, INVALID_STATUS);
      this.#flows.delete(flow.id);
      return { success: true };
    }
    if (method !== 'POST') return undefined;
    if (edge === '') return this.#update(flow, await request.fields());
    if (edge === 'assets') return this.#upload(flow, await request.form());
    if (edge === 'publish') {
      if (flow.status !== 'DRAFT') throw this.#refuse(139002, INVALID_STATUS);
      if (flow.validation_errors.length > 0) throw this.#refuse(139002, HAS_ERRORS);
      if (flow.endpoint_uri !== undefined && flow.application_id === undefined) throw this.#refuse(139002, NO_APPLICATION);
      this.#put({ ...flow, status: 'PUBLISHED' });
      return { success: true };
    }
    if (edge !== 'deprecate') return undefined;
    if (flow.status === 'DRAFT' || flow.status === 'DEPRECATED') throw this.#refuse(139003, INVALID_STATUS);
    this.#put({ ...flow, status: 'DEPRECATED' });
    return { success: true };
  }

  #update(flow: StandInFlow, change: Readonly<Record<string, unknown>>): unknown {
    if (flow.status !== 'DRAFT') throw this.#refuse(139001, INVALID_STATUS);
    // Here '' removes a field.
    const present = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null));
    const { name = flow.name, categories, endpoint_uri, application_id } = present;
    if (name !== flow.name) this.#requireUnique(flow.wabaId, String(name));
    this.#put({
      ...flow,
      name: String(name),
      categories: categories === undefined ? flow.categories : categoriesIn(categories),
      endpoint_uri: endpoint_uri === undefined ? flow.endpoint_uri : textOrNothing(endpoint_uri),
      application_id: application_id === undefined ? flow.application_id : textOrNothing(application_id),
    });
    return { success: true };
  }

  async #upload(flow: StandInFlow, form: FormData): Promise<unknown> {
    const file = form.get('file');
    if (form.get('asset_type') !== 'FLOW_JSON' || form.get('name') !== 'flow.json' || file === null || typeof file === 'string') {
      throw this.#invalid('The parameters file, name (flow.json) and asset_type (FLOW_JSON) are required.');
    }
    const reopens = flow.status === 'PUBLISHED' && this.#network.switches.uploadReopensFlow;
    if (flow.status !== 'DRAFT' && !reopens) throw this.#refuse(139001, INVALID_STATUS);
    const definition = new Uint8Array(await file.arrayBuffer());
    const validation_errors = this.#validate(definition);
    this.#put({ ...flow, status: 'DRAFT', definition, validation_errors });
    return { success: true, validation_errors };
  }

  #read(flow: StandInFlow, { edge, query }: GraphRequest): unknown {
    if (edge === 'assets') {
      const asset = { name: 'flow.json', asset_type: 'FLOW_JSON', download_url: `${this.#baseUrl()}/flow-files/${flow.id}` };
      return { data: [asset], paging: { cursors: { before: '0', after: '0' } } };
    }
    return edge === '' ? this.#shown(flow, query) : undefined;
  }

  /** The preview, if the query asks for it; a new one if the earlier has expired, or was made invalid. */
  #previewOf(flow: StandInFlow, query: URLSearchParams): object | undefined {
    const asked = PREVIEW_FIELD.exec(query.get('fields') ?? '');
    if (!asked) return undefined;
    const isInvalidated = asked[1] === 'true';
    const now = this.#network.clock.now().getTime();
    const isValid = flow.preview !== undefined && flow.preview.expiresAt.getTime() > now && !isInvalidated;
    const preview = isValid
      ? flow.preview!
      : { url: `${this.#baseUrl()}/flow-previews/${flow.id}?token=${this.#network.id()}`, expiresAt: new Date(now + PREVIEW_MS) };
    this.#flows.set(flow.id, { ...flow, preview });
    return { preview_url: preview.url, expires_at: graphDate(preview.expiresAt) };
  }

  #shown(flow: StandInFlow, query: URLSearchParams): Record<string, unknown> {
    const { id, wabaId, name, status, categories, validation_errors, endpoint_uri, application_id, updatedAt } = flow;
    const { version: json_version, data_api_version } = versionsIn(flow.definition);
    const about = {
      id,
      name,
      status,
      categories,
      validation_errors,
      json_version,
      data_api_version,
      endpoint_uri,
      data_channel_uri: endpoint_uri,
    };
    const application = application_id === undefined ? undefined : { id: application_id };
    const health_status = { can_send_message: status === 'BLOCKED' ? 'BLOCKED' : status === 'THROTTLED' ? 'LIMITED' : 'AVAILABLE' };
    const whatsapp_business_account = accountOf(wabaId);
    return selected(
      {
        ...about,
        application,
        updated_at: graphDate(updatedAt),
        health_status,
        whatsapp_business_account,
        preview: this.#previewOf(flow, query),
      },
      query,
      DEFAULT_FIELDS,
    );
  }

  #put(flow: StandInFlow): void {
    this.#flows.set(flow.id, { ...flow, updatedAt: this.#network.clock.now() });
  }

  #requireUnique(account: string, name: string): void {
    if (!this.list().some((flow) => flow.wabaId === account && flow.name === name)) return;
    throw new GraphError(100, undefined, { message: 'Invalid parameter', userTitle: 'Flow name is not unique', userMessage: NOT_UNIQUE });
  }

  #invalid(message: string): GraphError {
    return new GraphError(100, undefined, { message: `(#100) ${message}` });
  }

  /** A refusal of the flow family, with 100 instead of 1390xx by switch. */
  #refuse(code: number, [userTitle, userMessage]: readonly [string, string]): GraphError {
    const isPlain = this.#network.switches.flowErrors === 100;
    return new GraphError(isPlain ? 100 : code, undefined, {
      message: isPlain ? 'Invalid parameter' : `(#${code}) ${userTitle}`,
      isTransient: false,
      userTitle,
      userMessage,
    });
  }
}

const NOT_UNIQUE = 'A flow with this name already exists in this account. Choose another name.';
const INVALID_STATUS = ['Invalid Flow Status', 'The flow is in a status that does not allow this.'] as const;
const HAS_ERRORS = ['Validation Failed', 'The flow has validation errors.'] as const;
const NO_APPLICATION = ['No Application Connected', 'The flow has an endpoint and no application.'] as const;

const isTrue = (value: unknown): boolean => value === true || value === 'true';
const textOrNothing = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Categories are a list, or in a form its JSON. */
function categoriesIn(value: unknown): string[] {
  const list: unknown = typeof value === 'string' && value.startsWith('[') ? JSON.parse(value) : value;
  return Array.isArray(list) ? list.map(String) : [];
}

function versionsIn(definition: Uint8Array): { version?: unknown; data_api_version?: unknown } {
  try {
    return Object(JSON.parse(new TextDecoder().decode(definition))) as { version?: unknown; data_api_version?: unknown };
  } catch {
    // A definition that is not JSON has no versions.
    return {};
  }
}

/** The validation of a stand-in without `validateFlow`: the definition must be JSON with a version and at least one screen. */
export function validateRoughly(definition: Uint8Array): StandInFlowError[] {
  const problem = (error: string, message: string): StandInFlowError => ({
    error,
    error_type: 'FLOW_JSON_ERROR',
    message,
    line_start: 1,
    line_end: 1,
    column_start: 1,
    column_end: 1,
    pointers: [{ line_start: 1, line_end: 1, column_start: 1, column_end: 1, path: '' }],
  });
  try {
    const { version, screens } = Object(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(definition)));
    if (typeof version !== 'string') return [problem('MISSING_REQUIRED_PROPERTY', "The required property 'version' is missing.")];
    return Array.isArray(screens) && screens.length > 0
      ? []
      : [problem('MIN_ITEMS_REQUIRED', "The property 'screens' needs at least 1 item.")];
  } catch {
    return [problem('INVALID_FLOW_JSON', 'The definition is not valid JSON.')];
  }
}
