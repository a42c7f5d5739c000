import type { HttpOutcome, JsonObject, PluginContext } from '#core';
import { fileKindOf } from '#core/basics';
import { fileNotFetched, type NotificationError, responseOf, ServiceUnreachable } from '#core/messaging';
import type { Connected } from '../connection.js';
import { baseOf } from '../gateways/gateway.js';

/** Above what carriers pass on. */
const MAX_BYTES = 20 * 1024 * 1024;
const DEADLINE_MS = 60_000;
const HREF = 'https://posthorn.invalid/sms';

/** A file of a message in the platform's form, or why there is none. */
export interface FetchedFile {
  readonly kind: string;
  readonly part: JsonObject;
  readonly error?: NotificationError;
}

/** Fetches the files of messages from the gateway into the platform's store. */
export function createFiles({ http, media }: Pick<PluginContext, 'http' | 'media'>) {
  return {
    /** @throws ServiceUnreachable for a failure that may pass */
    async fetchFile(number: string, { gateway, account }: Connected, { url, type }: { url: string; type: string }): Promise<FetchedFile> {
      const kind = fileKindOf(type);
      if (!URL.canParse(url)) return missing(kind, 'the address of the file is not valid');
      // The credentials are the gateway's: no other host gets them, whatever a callback says.
      if (new URL(url).origin !== new URL(baseOf(gateway, account)).origin)
        return missing(kind, 'the file is on another host than the gateway');
      const { headers } = gateway.check(account);
      const first = await get(url, headers);
      const location = first.kind === 'response' && first.status >= 300 && first.status < 400 ? first.headers.location : undefined;
      const outcome = location === undefined ? first : await get(new URL(location, url).href, {});
      if (outcome.kind === 'unreachable' && outcome.permanent) return missing(kind, outcome.reason);
      const { status, cut, body } = responseOf(outcome, gateway.title);
      if (status >= 500 || status === 429) throw new ServiceUnreachable(gateway.title, `status ${status}`);
      if (status !== 200) return missing(kind, `the gateway answered ${status}`);
      if (cut) return missing(kind, `the file has more than ${MAX_BYTES} bytes, or was cut off`);
      const stored = await media.put(number, body, { mimeType: type });
      return { kind, part: media.partOf(stored) };
    },

    /** The part of a message whose file could not be fetched in time. */
    missing,
  };

  function get(url: string, headers: Readonly<Record<string, string>>): Promise<HttpOutcome> {
    return http.send({ method: 'GET', url, headers, deadlineMs: DEADLINE_MS, maxResponseBytes: MAX_BYTES });
  }
}

const missing = (kind: string, details: string): FetchedFile => ({ kind, part: {}, error: fileNotFetched(details, HREF) });

/** Parts of an MMS that only say how its files are shown. */
export const isLayout = (type: string): boolean => /^application\/smil/i.test(type);
