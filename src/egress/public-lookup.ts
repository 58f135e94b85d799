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

/** The same for names that accounts choose: they don't learn which names the operator's network knows. */
export function ownPublicLookup(lookup: LookupFunction): LookupFunction {
  const find = publicLookup(lookup);
  return (hostname, options, callback) =>
    find(hostname, options, (error, address, family) => {
      if (error === null) callback(null, address, family);
      else callback(noPublicAddressError(hostname), []);
    });
}

export function noPublicAddressError(host: string): EgressError {
  return new EgressError('EGRESS_NO_PUBLIC_ADDRESS', `no public address of ${host} was found`);
}

export function privateAddressError(host: string): EgressError {
  return new EgressError(
    'EGRESS_PRIVATE_ADDRESS',
    `${host} has a private address, which Weir connects to only if its operator has set it`,
  );
}
