import type { Reach } from './egress.ts';

/** An address that the operator allows. */
export interface AllowedAddress {
  /** The module or provider; undefined for all. */
  readonly name: string | undefined;
  /** Undefined for every public address. */
  readonly origin: string | undefined;
}

/** `<origin>`, `*`, `<name>=<origin>` or `<name>=*`; undefined if it is none of these. */
export function parseAllowedAddress(text: string): AllowedAddress | undefined {
  // Origins have no equals sign.
  const equals = text.indexOf('=');
  const name = equals === -1 ? undefined : text.slice(0, equals).trim();
  const address = text.slice(equals + 1).trim();
  if (name !== undefined && !/^[a-z][a-z0-9-]*$/.test(name)) return undefined;
  if (address === '*') return { name, origin: undefined };
  const url = URL.parse(address);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin ? { name, origin: url.origin } : undefined;
}

/** The addresses that the operator allows, besides those in other settings. */
export class AllowList {
  readonly #addresses: readonly AllowedAddress[];

  constructor(addresses: readonly AllowedAddress[]) {
    this.#addresses = addresses;
  }

  /** What the module or provider of this name may reach at an origin; undefined if it may not connect to it. */
  reachOf(name: string, origin: string): Reach | undefined {
    const own = this.#addresses.filter((address) => address.name === undefined || address.name === name);
    if (own.some((address) => address.origin === origin)) return 'any';
    return own.some((address) => address.origin === undefined) ? 'public' : undefined;
  }

  /** Whether the operator allows an origin for this name and not for all. */
  allowsByName(name: string, origin: string): boolean {
    return this.#addresses.some((address) => address.name === name && address.origin === origin);
  }

  /** Names that are neither a module nor a provider. */
  unknownNames(known: ReadonlySet<string>): readonly string[] {
    const names = this.#addresses.flatMap(({ name }) => (name === undefined ? [] : [name]));
    return names.filter((name) => !known.has(name));
  }
}
