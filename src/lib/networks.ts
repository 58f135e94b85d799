import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { plainAddress } from './address-block.ts';

/** IP networks and single addresses. IPv4-mapped IPv6 addresses count as the IPv4 addresses that they stand for. */
export class Networks {
  /** One list for each family: a common one would find IPv4 addresses in IPv6 networks. */
  readonly #lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  /** Undefined if one of the texts is neither an address nor a network such as `10.0.0.0/8` or `2001:db8::/32`. */
  static parse(texts: readonly string[]): Networks | undefined {
    const networks = new Networks();
    return texts.every((text) => networks.#add(text)) ? networks : undefined;
  }

  /** False for what is no address. */
  has(address: string): boolean {
    const plain = plainAddress(address);
    const family = familyOf(plain);
    return isIP(plain) !== 0 && this.#lists[family].check(plain, family);
  }

  #add(network: string): boolean {
    const [address = '', bits, ...rest] = network.split('/');
    if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false;
    const plain = plainAddress(address);
    const family = familyOf(plain);
    if (bits === undefined) {
      this.#lists[family].addAddress(plain, family);
      return true;
    }
    const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) - (isIPv6(address) && isIPv4(plain) ? 96 : 0) : -1;
    if (prefix < 0 || prefix > (family === 'ipv6' ? 128 : 32)) return false;
    this.#lists[family].addSubnet(plain, prefix, family);
    return true;
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
