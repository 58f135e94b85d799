import { isIPv4, isIPv6 } from 'node:net';

/**
 * The block that attempts are counted by: an IPv4 address, or the /64 of an IPv6 address, since one client has all of
 * it.
 */
export function addressBlock(address: string): string {
  const plain = plainAddress(address);
  return isIPv6(plain) ? `${groupsOf(plain).slice(0, 4).join(':')}::/64` : plain;
}

/** The address without a zone; `::ffff:a.b.c.d`, in any notation, as the IPv4 address that it stands for. */
export function plainAddress(address: string): string {
  const [plain = ''] = address.split('%', 1);
  return isIPv4(plain) || !isIPv6(plain) ? plain : (ipv4Of(groupsOf(plain)) ?? plain);
}

/** The /48 of an IPv6 address, which one customer can get; undefined for IPv4. */
export function addressSite(address: string): string | undefined {
  const block = addressBlock(address);
  return block.endsWith('::/64') ? `${block.split(':').slice(0, 3).join(':')}::/48` : undefined;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): readonly string[] {
  // URL normalizes every notation of an address, including dotted IPv4 parts.
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = written.split('::');
  const front = head === '' ? [] : head.split(':');
  if (tail === undefined) return front;
  const back = tail === '' ? [] : tail.split(':');
  return [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
}

/** `::ffff:a.b.c.d` is an IPv4 client on a dual-stack listener. */
function ipv4Of(groups: readonly string[]): string | undefined {
  const isMapped = groups[5] === 'ffff' && groups.slice(0, 5).every((group) => group === '0');
  if (!isMapped) return undefined;
  const bytes = groups.slice(6).flatMap((group) => {
    const bits = Number.parseInt(group, 16);
    return [bits >> 8, bits & 255];
  });
  return bytes.join('.');
}
