import type Joi from 'joi';
import { anyString, array, integer, nullable, object, string } from '#core';
import { type Flow, type FlowCategory, type FlowStatus, type FlowValidationError, flowStatuses } from '../../flows/plugin.js';
import { pageSchema } from '../graph/paging.js';

/** The fields of a flow that the plugin reads. */
export const FLOW_FIELDS =
  'id,name,status,categories,validation_errors,json_version,data_api_version,endpoint_uri,application,updated_at,whatsapp_business_account';

/** A validation error as the network sends it: everything but its texts can be missing. */
export type GraphFlowError = Partial<FlowValidationError>;

/** A flow as the network sends it. */
export interface GraphFlow {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly categories?: readonly FlowCategory[] | null;
  readonly validation_errors?: readonly GraphFlowError[] | null;
  readonly json_version?: string | null;
  readonly data_api_version?: string | null;
  readonly endpoint_uri?: string | null;
  readonly application?: { readonly id?: string } | null;
  readonly updated_at?: string | null;
  readonly whatsapp_business_account?: { readonly id?: string } | null;
}

const optional = <S extends Joi.Schema>(schema: S) => nullable(schema);
const position = optional(integer());
const span = { line_start: position, line_end: position, column_start: position, column_end: position };
/** Validation errors of a flow; their `pointers` are passed on. */
const flowErrors = optional(
  array(
    object(
      {},
      { error: anyString(), error_type: anyString(), message: anyString(), pointers: array(object({}, span).unknown()), ...span },
    ).unknown(),
  ),
);

/** The fields that are read of every flow. */
export const oneFlow = object(
  { id: string(), name: string(), status: string() },
  {
    json_version: optional(anyString()),
    data_api_version: optional(anyString()),
    endpoint_uri: optional(anyString()),
    categories: optional(array(string())),
    validation_errors: flowErrors,
    updated_at: optional(anyString()),
    application: optional(object({}, { id: string() }).unknown()),
    whatsapp_business_account: optional(object({}, { id: string() }).unknown()),
  },
);
export const listedFlows = pageSchema(oneFlow);
export const madeFlow = object({ id: string() }, { validation_errors: flowErrors });
export const uploadedFlow = object({}, { validation_errors: flowErrors });
export const listedAssets = object({ data: array(object({ name: string(), asset_type: string(), download_url: string() })) });
export const flowPreview = object({ preview: object({ preview_url: string(), expires_at: string() }) });

const NOWHERE = { line_start: 1, line_end: 1, column_start: 1, column_end: 1 };

export const errorsOf = (errors: readonly GraphFlowError[] | null | undefined): FlowValidationError[] =>
  (errors ?? []).map(({ error = 'UNKNOWN', error_type = 'FLOW_JSON_ERROR', message = '', pointers = [], ...span }) => {
    const { line_start, line_end, column_start, column_end } = { ...NOWHERE, ...span };
    return { error, error_type, message, line_start, line_end, column_start, column_end, pointers };
  });

/** A date of the network, whose offset has no colon: `2026-12-21T00:00:00+0000`. */
export const dateOf = (written: string | null | undefined): Date => {
  const date = new Date((written ?? '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
};

/** A status that a later version of the network adds counts as BLOCKED: the flow exists, and nothing can be done with it here. */
const statusOf = (status: string): FlowStatus => flowStatuses.find((known) => known === status) ?? 'BLOCKED';

export function flowOf(flow: GraphFlow): Flow {
  const { id, name, status, categories, validation_errors, json_version, data_api_version, endpoint_uri, application } = flow;
  return {
    id,
    name,
    status: statusOf(status),
    categories: categories ?? [],
    json_version: json_version ?? undefined,
    data_api_version: data_api_version ?? undefined,
    validation_errors: errorsOf(validation_errors),
    endpoint_uri: endpoint_uri || undefined,
    application_id: application?.id,
    updated_at: dateOf(flow.updated_at),
  };
}
