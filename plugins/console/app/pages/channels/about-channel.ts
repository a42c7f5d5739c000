import type { ShownChannel, ShownWebhook } from '../../data/records.js';

/** The records that the tabs show. */
export interface AboutChannel {
  readonly channel: ShownChannel;
  /** Every webhook of the channel. */
  readonly webhooks: readonly ShownWebhook[];
  readonly connector: ShownWebhook | undefined;
  readonly reload: () => void;
}
