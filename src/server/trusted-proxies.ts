import { isIP } from 'node:net';
import { Networks } from '../lib/networks.ts';

/** Which proxies are trusted to report the client's address: a number of hops, some networks, or none. */
export type TrustedProxies =
  | { readonly by: 'none' }
  | { readonly by: 'hops'; readonly hops: number }
  | { readonly by: 'network'; readonly networks: Networks };

const hopsMax = 20;

/** Undefined if the text is invalid. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === 'off' || wanted === '0') return { by: 'none' };
  if (/^\d+$/.test(wanted)) {
    const hops = Number(wanted);
    return hops <= hopsMax ? { by: 'hops', hops } : undefined;
  }
  const networks = Networks.parse(wanted.split(',').map((network) => network.trim()));
  return networks && { by: 'network', networks };
}

/** The client's address: the last in the chain that is not a trusted proxy. */
export function clientAddress(
  remoteAddress: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string {
  if (trusted.by === 'none' || forwardedFor === undefined) return remoteAddress;
  const chain = forwardedFor.split(',').map((address) => stripPort(address.trim()));
  let client = remoteAddress;
  for (let hop = 1; isTrustedProxy(client, hop, trusted); hop++) {
    const before = chain.pop();
    // A value that is not an address was forged before our proxies.
    if (before === undefined || isIP(before) === 0) break;
    client = before;
  }
  return client;
}

function isTrustedProxy(address: string, hop: number, trusted: TrustedProxies): boolean {
  if (trusted.by === 'hops') return hop <= trusted.hops;
  if (trusted.by === 'none') return false;
  return trusted.networks.has(address);
}

/** Some proxies append the port, with brackets around an IPv6 address. */
function stripPort(address: string): string {
  const [, bracketed] = /^\[(.+)\](?::\d+)?$/.exec(address) ?? [];
  const [, beforePort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address) ?? [];
  return bracketed ?? beforePort ?? address;
}
