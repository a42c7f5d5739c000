import type { LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.js';
import { errorWith } from './exchange.js';
import { nameFault } from './name-fault.js';
import type { Lookup } from './name-lookup.js';

/** Gives a socket only checked addresses, so that a name cannot resolve to another address between check and connection. */
export function guardedLookup(resolve: Lookup, guard: AddressGuard | undefined): LookupFunction {
  return (host, { all }, callback) => {
    const fault = nameFault(host);
    if (fault !== undefined) return callback(Object.assign(errorWith('ENOTFOUND'), { reason: fault }), '');
    resolve(host).then(
      (addresses) => {
        const permitted = addresses.filter(({ address }) => guard?.permits(host, address) ?? true);
        const [first] = permitted;
        if (!first) return callback(errorWith(addresses.length > 0 ? 'BLOCKED_ADDRESS' : 'ENOTFOUND'), '');
        if (all) callback(null, permitted);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error as NodeJS.ErrnoException, ''),
    );
  };
}
