import type { useOutcomes } from '../../data/outcomes.js';
import type { NumberRecord, ShownChannel, ShownWebhook } from '../../data/records.js';

/** The records that the parts of the page show. */
export interface Platform {
  readonly numbers: readonly NumberRecord[];
  readonly channels: readonly ShownChannel[];
  readonly webhooks: readonly ShownWebhook[];
  readonly outcomes: NonNullable<ReturnType<typeof useOutcomes>>;
}
