import { createHmac } from 'node:crypto';
import { type Clock, Forbidden, isSameSecret, type PluginContext } from '#core';
import { createStoredKey } from '#core/messaging';
import type { Ids } from '#core/ports';

const DOWNLOAD_MS = 60 * 60 * 1000;

/** Signs and checks the query of download URLs, which need no token and expire after an hour. */
export function createDownloadLinks(context: Pick<PluginContext, 'secrets' | 'store'> & { clock: Clock; ids: Ids }) {
  const { clock } = context;
  const key = createStoredKey(context, 'flow-downloads');
  const sign = (flow: string, expires: number): string => createHmac('sha256', key.get()).update(`${flow}.${expires}`).digest('base64url');

  return {
    /** Loads the signing key; call it before the first link. */
    load: key.load,

    /** Returns the signed query; `expires` is in Unix seconds. */
    query(flow: string): string {
      const expires = Math.floor((clock.now().getTime() + DOWNLOAD_MS) / 1000);
      clock.noteExpiry?.(new Date(expires * 1000), { kind: 'download_link', id: flow, title: `expiry of a download link of flow ${flow}` });
      return `expires=${expires}&signature=${sign(flow, expires)}`;
    },

    /** @param expires in Unix seconds @throws Forbidden when the signature is invalid or the URL has expired */
    check(flow: string, expires: number, signature: string): void {
      if (!isSameSecret(signature, sign(flow, expires))) throw new Forbidden('The signature of this download address is not valid');
      const end = new Date(expires * 1000);
      if (end.getTime() <= clock.now().getTime()) {
        throw new Forbidden(`This download address expired at ${end.toISOString()}; request the assets of the flow again for a new one`);
      }
    },
  };
}
