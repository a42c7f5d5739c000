import { collection } from '#core';
import type { FlowCategory, FlowStatus, FlowValidationError } from './operator/flow-operator.js';
import type { FlowOutline } from './validate/result.js';

/** A flow as the local operator keeps it; its definition stands apart, as it may be large. */
export interface FlowRecord {
  readonly id: string;
  readonly account: string;
  /** Counts up within the account. */
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
  unique: { name: ['account', 'name'], position: ['account', 'position'] },
});

/** How many flows an account has had: the place of one that is gone is given to no other, as cursors name it. */
export interface FlowCount {
  readonly account: string;
  readonly made: number;
}

export const flowCounts = collection<FlowCount>({ key: 'account' });

/** A definition as it was sent: text, or base64 where the bytes are no text. */
export interface DefinitionRecord {
  readonly flow: string;
  readonly encoding: 'utf8' | 'base64';
  readonly content: string;
  /** SHA-256 of the bytes. */
  readonly sha256: string;
}

export const definitions = collection<DefinitionRecord>({ key: 'flow' });

/** The address of a preview that is good at the moment; one per flow. */
export interface PreviewRecord {
  readonly flow: string;
  readonly token: string;
  readonly expires_at: string;
}

export const previews = collection<PreviewRecord>({ key: 'flow' });

/** When messages with a throttled flow were sent, in milliseconds since 1970: the last ten. */
export interface ThrottleRecord {
  readonly flow: string;
  readonly sent: readonly number[];
}

export const throttles = collection<ThrottleRecord>({ key: 'flow' });

/** A flow that was opened from a conversation, to be filled in once. */
export interface Opening {
  readonly token: string;
  readonly message: string;
  readonly expires_at: string;
}

export const openings = collection<Opening>({ key: 'token', indexes: { message: ['message'] } });
