import type { LookupFunction } from 'node:net';
import { EgressError } from './egress-error.ts';
import { isPublicAddress } from './public-address.ts';

/**
 * A DNS lookup that finds public addresses only. Sockets connect to the very addresses that it returns, so that a name
 * cannot have another address between check and connection.
 */
export function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      if (error !== null) return callback(error, address, family);
      const found = typeof address === 'string' ? [{ address, family: family ?? 0 }] : address;
      const open = found.filter((one) => isPublicAddress(one.address));
      const [first] = open;
      if (first === undefined) callback(privateAddressError(hostname), []);
      else if (typeof address === 'string') callback(null, first.address, first.family);
      else callback(null, open);
    });
}

export function privateAddressError(host: string): EgressError {
  return new EgressError(
    'EGRESS_PRIVATE_ADDRESS',
    `${host} has a private address, which Weir connects to only if its operator has set it`,
  );
}
