import { adminFind } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** The type of numbers whose messages go through a connector. */
export const CHANNEL_TYPE = 'channel_http_api';

/** A channel of a connector. */
export interface Channel {
  readonly number: { readonly uuid: string; readonly address: string; readonly name: string };
  /** Those that receive the messages of the channel. */
  readonly webhooks: readonly { readonly uuid: string; readonly url: string }[];
}

/** The channels that have a connector; removed ones have none. */
export const channelsOf = async (run: RunFile): Promise<readonly Channel[]> =>
  ((await adminFind(run, '/channels')) as { channels: readonly Channel[] } | undefined)?.channels.filter(
    ({ webhooks }) => webhooks.length > 0,
  ) ?? [];

/** Whether a channel delivers to this URL. */
export const isAt = ({ webhooks }: Channel, url: string): boolean => webhooks.some((webhook) => isSameUrl(webhook.url, url));

/** Whether two URLs are the same, with or without a slash at the end. */
export const isSameUrl = (a: string, b: string): boolean => a.replace(/\/+$/, '') === b.replace(/\/+$/, '');
