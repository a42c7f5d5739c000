import { isIP } from 'node:net';
import { addressList } from '../adapters/http/address-guard.js';

/** An address as proxies write it: some add the port, and those of IPv6 have brackets then. */
const HOP = /^\s*(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+)(?::\d+)?|([\da-f:.]+(?:%\w+)?))\s*$/i;

/**
 * Finds the addresses of clients. Each proxy adds to `X-Forwarded-For` the address that has called it, so the header counts from the right as long as
 * trusted proxies have written it. Clients can forge all that is left of the first address that is not trusted.
 * @param trusted addresses and ranges such as `10.0.0.0/8`
 * @returns the address of the client, from that of the connection and the header
 */
export function clientAddresses(trusted: readonly string[]): (peer: string, forwarded: string | undefined) => string {
  const proxies = addressList(trusted);
  const isProxy = (address: string): boolean => {
    const plain = address.replace(/%.*$/, '');
    const version = isIP(plain);
    return version !== 0 && proxies.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  };
  return (peer, forwarded) => {
    let client = peer;
    const before = trusted.length === 0 ? [] : (forwarded?.split(',') ?? []);
    while (before.length > 0 && isProxy(client)) {
      const [, inBrackets, v4, v6] = HOP.exec(before.pop()!) ?? [];
      const address = inBrackets ?? v4 ?? v6 ?? '';
      // The proxy that wrote this is the last one that is known.
      if (isIP(address) === 0) break;
      client = address;
    }
    return client;
  };
}
