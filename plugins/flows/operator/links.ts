import { createHmac } from 'node:crypto';
import { type Clock, Forbidden, isSameSecret, type PluginContext } from '#core';
import { createStoredKey } from '#core/areas';
import type { Ids } from '#core/ports';

/** How long a download address is good. */
const DOWNLOAD_MS = 60 * 60 * 1000;

/** Addresses of definitions that need no token and die after an hour. */
export function createDownloadLinks(context: Pick<PluginContext, 'secrets' | 'store'> & { clock: Clock; ids: Ids }) {
  const { clock } = context;
  const key = createStoredKey(context, 'flow-downloads');
  const sign = (flow: string, expires: number): string => createHmac('sha256', key.get()).update(`${flow}.${expires}`).digest('base64url');

  return {
    /** Before the first link. */
    load: key.load,

    /** `expires` is in seconds since 1970, so that whoever reads the address sees how long it is good. */
    query(flow: string): string {
      const expires = Math.floor((clock.now().getTime() + DOWNLOAD_MS) / 1000);
      return `expires=${expires}&signature=${sign(flow, expires)}`;
    },

    /** @throws Forbidden when the signature is not ours or the address has died */
    check(flow: string, expires: number, signature: string): void {
      if (!isSameSecret(signature, sign(flow, expires))) throw new Forbidden('This download address was not made here');
      const end = new Date(expires * 1000);
      if (end.getTime() <= clock.now().getTime()) {
        throw new Forbidden(`This download address expired at ${end.toISOString()}; ask for the assets of the flow again`);
      }
    },
  };
}
