import type { Endpoint } from '../../data/endpoints.js';
import type { useOutcomes } from '../../data/outcomes.js';
import type { NumberRecord, ShownChannel, ShownWebhook } from '../../data/records.js';

/** The records that the parts of the page show. */
export interface Platform {
  readonly numbers: readonly NumberRecord[];
  readonly channels: readonly ShownChannel[];
  readonly webhooks: readonly ShownWebhook[];
  /** By uuid; those that were called in the last day. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly outcomes: NonNullable<ReturnType<typeof useOutcomes>>;
}
