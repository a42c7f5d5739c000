import { type FromPreview, PREVIEW_CHANNEL, type ToPreview } from '../../../../core/web/preview-channel.js';
import { isFields } from './definition.js';

type Sent = FromPreview extends infer Message ? (Message extends unknown ? Omit<Message, 'channel'> : never) : never;

/** The page of the same server that frames the preview, such as an editor. Pages of other origins frame it, too, and get and say nothing. */
export function connectHost(receive: (message: ToPreview) => void): { readonly send: (message: Sent) => void; readonly end: () => void } {
  // Also in a sandboxed frame, whose own origin is opaque, this is the origin of the server.
  const { origin } = location;
  const listen = ({ origin: from, source, data }: MessageEvent): void => {
    if (from === origin && source === parent && isFields(data) && data.channel === PREVIEW_CHANNEL) receive(data as unknown as ToPreview);
  };
  addEventListener('message', listen);
  return {
    send: (message) => {
      if (parent !== window) parent.postMessage({ channel: PREVIEW_CHANNEL, ...message }, origin);
    },
    end: () => removeEventListener('message', listen),
  };
}
