import { advice, BodyTooLarge, type NumberRecord, type PluginContext, type Route, requestId, route } from '#core';
import { meta, success } from './envelope.js';
import { NoBusinessAccount, withApiErrors } from './errors.js';
import { fileIn, MAX_UPLOAD_BYTES } from './multipart.js';
import type { Flow, FlowCategory, FlowOperator, FlowValidationError } from './operator/flow-operator.js';
import {
  assetsSchema,
  changeSchema,
  createdSchema,
  fieldsQuery,
  flowParams,
  listQuery,
  listSchema,
  MAX_CREATE_BYTES,
  newFlowSchema,
  previewQuery,
  previewSchema,
  successSchema,
  uploadedSchema,
} from './schemas.js';
import { MAX_FLOW_BYTES } from './validate/read-text.js';

/** Validates a definition on this platform. */
type LocalValidation = (definition: string | Uint8Array) => Promise<readonly FlowValidationError[]>;

/**
 * The nine endpoints of the Flows API. They relay calls to the operator, for the account of the token's number. With `validate`, which is
 * for remote operators, new definitions are also validated here first, and responses list these errors beside those of the operator.
 */
export function flowRoutes(operator: FlowOperator, { announce }: Pick<PluginContext, 'announce'>, validate?: LocalValidation): Route[] {
  const localErrors = async (definition: string | Uint8Array) => (validate ? { local_validation_errors: await validate(definition) } : {});
  return [
    route({
      method: 'POST',
      path: '/v1/flows',
      summary: 'Creates a flow; with `publish`, publishes it immediately if it is valid.',
      numbers: ['network'],
      maxBytes: MAX_CREATE_BYTES,
      request: { payload: newFlowSchema },
      responses: { 201: createdSchema },
      async handler({ payload: { name, flow_json, categories, publish }, caller: { number } }, h) {
        const account = accountOf(number);
        const definition = typeof flow_json === 'string' ? flow_json : serializeFlow(flow_json);
        if (Buffer.byteLength(definition) > MAX_FLOW_BYTES) throw new BodyTooLarge(MAX_FLOW_BYTES);
        const local = await localErrors(definition);
        const created = await withApiErrors(
          operator.create(account, { name, categories: categories ?? DEFAULT_CATEGORIES, definition, publish: publish ?? false }),
        );
        return h.response({ meta: meta(201), id: created.id, validation_errors: created.validation_errors, ...local }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/flows',
      summary: 'Lists the flows of the business account, oldest first.',
      numbers: ['network'],
      request: { query: listQuery },
      responses: { 200: listSchema },
      async handler({ query: { fields, limit, after, before }, caller: { number } }) {
        const page = await withApiErrors(
          operator.list(accountOf(number), { limit, after: after || undefined, before: before || undefined }),
        );
        const { flows, before: hasBefore, after: hasAfter } = page;
        const cursors = { ...(hasBefore !== undefined && { before: hasBefore }), ...(hasAfter !== undefined && { after: hasAfter }) };
        const data = flows.map((flow) => selectFields(flow, fields));
        return { meta: meta(200), data, ...(Object.keys(cursors).length > 0 && { paging: { cursors } }) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/flows/{flow_id}',
      summary: 'Changes the name, categories, endpoint or application of a draft, but not its flow JSON.',
      numbers: ['network'],
      request: { params: flowParams, payload: changeSchema },
      responses: { 200: successSchema },
      async handler({ params: { flow_id }, payload, caller: { number }, request }) {
        const { name, categories, endpoint_uri, application_id, flow_json } = payload;
        const change = { name: name ?? undefined, categories: categories ?? undefined, endpoint_uri, application_id };
        await withApiErrors(operator.update(accountOf(number), flow_id, change));
        if (flow_json !== undefined && flow_json !== null) {
          announce(advice, {
            name: 'flow_json_ignored',
            number: number.uuid,
            message: `POST /v1/flows/${flow_id} ignored flow_json: an update does not change the flow JSON.`,
            fix: `Upload it as a file to POST /v1/flows/${flow_id}/assets.`,
            about: { flow: flow_id, call: requestId(request) },
          });
        }
        return success();
      },
    }),
    route({
      method: 'POST',
      path: '/v1/flows/{flow_id}/assets',
      summary: 'Uploads the flow JSON of a draft as a file; a file with validation errors is stored too.',
      numbers: ['network'],
      body: 'bytes',
      files: ['file'],
      maxBytes: MAX_UPLOAD_BYTES,
      request: { params: flowParams },
      responses: { 200: uploadedSchema },
      async handler({ params: { flow_id }, payload, headers, caller: { number } }) {
        const account = accountOf(number);
        const file = await fileIn(payload as Buffer, headers['content-type']);
        const local = await localErrors(file);
        const validation_errors = await withApiErrors(operator.upload(account, flow_id, file));
        return { ...success(), validation_errors, ...local };
      },
    }),
    ...lifeCycleCalls.map(({ action, method, path, summary }) =>
      route({
        method,
        path,
        summary,
        numbers: ['network'],
        request: { params: flowParams },
        responses: { 200: successSchema },
        async handler({ params: { flow_id }, caller: { number } }) {
          await withApiErrors(operator[action](accountOf(number), flow_id));
          return success();
        },
      }),
    ),
    route({
      method: 'GET',
      path: '/v1/flows/{flow_id}/assets',
      summary: 'Returns a download URL of the flow JSON, valid for one hour.',
      numbers: ['network'],
      request: { params: flowParams, query: fieldsQuery },
      responses: { 200: assetsSchema },
      async handler({ params: { flow_id }, caller: { number } }) {
        return { meta: meta(200), data: await withApiErrors(operator.assets(accountOf(number), flow_id)) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/flows/{flow_id}/preview',
      summary: 'Returns the preview URL of the flow, valid for 30 days; `invalidate=true` replaces it by a new one.',
      numbers: ['network'],
      request: { params: flowParams, query: previewQuery },
      responses: { 200: previewSchema },
      async handler({ params: { flow_id }, query: { invalidate = 'false' }, caller: { number } }) {
        const preview = await withApiErrors(
          operator.preview(accountOf(number), flow_id, { invalidate: [invalidate].flat().at(-1)?.toLowerCase() === 'true' }),
        );
        return { meta: meta(200), preview_url: preview.preview_url, expires_at: toIsoSeconds(preview.expires_at) };
      },
    }),
  ];
}

/** Maximum length, in characters, of a flow that is indented. Indentation could multiply the size of larger flows, which may be nested 64 levels deep. */
const MAX_INDENTED = 1024 * 1024;

/** Serializes a `flow_json` that was sent as an object, for validation and storage: indented, unless that makes the text too large. */
function serializeFlow(flow: object): string {
  const packed = JSON.stringify(flow);
  if (packed.length > MAX_INDENTED) return packed;
  const indented = JSON.stringify(flow, null, 2);
  return Buffer.byteLength(indented) > MAX_FLOW_BYTES ? packed : indented;
}

/** Actions without a payload. */
const lifeCycleCalls = [
  { action: 'publish', method: 'POST', path: '/v1/flows/{flow_id}/publish', summary: 'Publishes a draft that has no validation errors.' },
  { action: 'deprecate', method: 'POST', path: '/v1/flows/{flow_id}/deprecate', summary: 'Deprecates a published flow permanently.' },
  { action: 'delete', method: 'DELETE', path: '/v1/flows/{flow_id}', summary: 'Deletes a draft.' },
] as const;

const DEFAULT_CATEGORIES: readonly FlowCategory[] = ['OTHER'];

/** @throws NoBusinessAccount */
function accountOf({ account, address }: NumberRecord): string {
  if (account === null) throw new NoBusinessAccount(address);
  return account;
}

/** ISO 8601 in seconds with an offset; clients written for the network do not parse `Z` or fractions. */
const toIsoSeconds = (date: Date): string => `${date.toISOString().slice(0, 19)}+00:00`;

const CONSTANT_FIELDS = ['id', 'name', 'status'];
const DEFAULT_FIELDS = ['categories', 'validation_errors'];

/** Returns `id`, `name`, `status` and the known fields among those in `?fields=`. Nested requests such as `preview.invalidate(false)` are ignored. */
function selectFields(flow: Flow, asked: string | readonly string[] | undefined) {
  const { application_id, updated_at, ...rest } = flow;
  const all: Record<string, unknown> = {
    ...rest,
    updated_at: toIsoSeconds(updated_at),
    application: application_id === undefined ? undefined : { id: application_id },
  };
  const names = [asked ?? []].flat().flatMap((list) => list.split(',').map((name) => name.trim().split(/[.{(]/)[0]!));
  const known = names.map((name) => (name === 'application_id' ? 'application' : name)).filter((name) => Object.hasOwn(all, name));
  const shown = [...CONSTANT_FIELDS, ...(known.length > 0 ? known : DEFAULT_FIELDS)];
  return Object.fromEntries(shown.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]));
}
