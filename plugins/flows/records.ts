import { collection, owned } from '#core';
import { messages } from '#core/messaging';
import type { FlowCategory, FlowStatus, FlowValidationError } from './operator/flow-operator.js';
import type { FlowOutline } from './validate/result.js';

/** A flow of the local operator. Its definition is a separate record, because it may be large. */
export interface FlowRecord {
  readonly id: string;
  readonly account: string;
  /** Position in the list of the account's flows. It only increases, and cursors refer to it. */
  readonly position: number;
  readonly name: string;
  readonly status: FlowStatus;
  readonly categories: readonly FlowCategory[];
  readonly validation_errors: readonly FlowValidationError[];
  readonly hints: readonly FlowValidationError[];
  readonly outline: FlowOutline;
  readonly endpoint_uri?: string;
  readonly application_id?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export const flowRecords = collection<FlowRecord>({
  key: 'id',
  tenant: { account: 'account' },
  unique: { name: ['account', 'name'], position: ['account', 'position'] },
  audited: ['name', 'status', 'categories', 'endpoint_uri'],
});

/** A flow that an admin call names. */
export const ofFlow = owned.record(flowRecords, 'flow');

/** The number of flows that an account has ever had. Positions are never reused, because cursors refer to them. */
export interface FlowCount {
  readonly account: string;
  readonly made: number;
}

export const flowCounts = collection<FlowCount>({ key: 'account', tenant: { account: 'account' } });

/** A definition, stored byte for byte: as text, or as base64 if the bytes are not valid UTF-8. */
export interface DefinitionRecord {
  readonly flow: string;
  readonly encoding: 'utf8' | 'base64';
  readonly content: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
}

export const definitions = collection<DefinitionRecord>({ key: 'flow', tenant: { by: ['flow', flowRecords] } });

/** The current preview URL of a flow. */
export interface PreviewRecord {
  readonly flow: string;
  readonly token: string;
  readonly expires_at: string;
}

export const previews = collection<PreviewRecord>({ key: 'flow', tenant: { by: ['flow', flowRecords] } });

/** The send times of a throttled flow's messages in the last hour, in milliseconds since the Unix epoch. */
export interface ThrottleRecord {
  readonly flow: string;
  readonly sent: readonly number[];
}

export const throttles = collection<ThrottleRecord>({ key: 'flow', tenant: { by: ['flow', flowRecords] } });

/** A link to the flow of a message; it is valid for one response. */
export interface Opening {
  readonly token: string;
  readonly message: string;
  readonly expires_at: string;
  /** Whether the contact got the link, on a channel without forms. Others are opened in the contact's place. */
  readonly sent?: true;
  /** The time of the response. */
  readonly used_at?: string;
}

export const openings = collection<Opening>({
  key: 'token',
  tenant: { by: ['message', messages] },
  indexes: { message: ['message'] },
  cold: { after: 0 },
});
