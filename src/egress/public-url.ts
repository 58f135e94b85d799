import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** What is wrong with an address that any account may choose. */
export function findPublicFault({
  protocol,
  hostname,
}: Pick<URL, 'protocol' | 'hostname'>): string | undefined {
  if (protocol !== 'https:') return 'must begin with https://';
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(host) === 0 ? /(?:^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  return isPrivate ? 'must not be a private address' : undefined;
}
