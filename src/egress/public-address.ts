import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 networks that are not on the public internet (IANA special-purpose registry), and one that only looks public. */
const specialIpv4 = createBlockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The metadata services of most clouds.
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's internal service for virtual machines.
  '168.63.129.16/32',
]);

/** All public IPv6 addresses are here. */
const globalIpv6 = createBlockList('ipv6', ['2000::/3']);

/** Except these: tunnels to IPv4 addresses (Teredo, 6to4), protocol assignments and documentation. */
const specialIpv6 = createBlockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** IPv4 addresses in another notation: mapped ones, and those of NAT64 gateways. */
const embeddedIpv4 = createBlockList('ipv6', ['::ffff:0:0/96', '64:ff9b::/96']);

/** Whether an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  if (isIPv4(plain)) return !specialIpv4.check(plain, 'ipv4');
  if (!isIPv6(plain)) return false;
  // The check of a mapped address against IPv6 rules depends on the version of Node.js.
  if (embeddedIpv4.check(plain, 'ipv6')) return !specialIpv4.check(lastFourBytes(plain), 'ipv4');
  return globalIpv6.check(plain, 'ipv6') && !specialIpv6.check(plain, 'ipv6');
}

function createBlockList(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** As a dotted IPv4 address. */
function lastFourBytes(ipv6: string): string {
  // URL writes the last 32 bits as two hexadecimal groups, and leaves out groups of zeros.
  const groups = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split(':').slice(-2);
  return groups
    .map((group) => Number.parseInt(group === '' ? '0' : group, 16))
    .flatMap((bits) => [bits >> 8, bits & 255])
    .join('.');
}
