import { limits } from './limits.ts';

/** A server that Weir connects to for one purpose, and what happened since the start. */
export interface Destination {
  readonly purpose: string;
  readonly host: string;
  readonly port: number;
  /** Undefined for a store, whose client connects by itself. */
  readonly counts: DestinationCounts | undefined;
}

interface DestinationCounts {
  readonly requests: number;
  /** Established connections. */
  readonly connections: number;
  /** Connections that could not be established. */
  readonly failures: number;
  /** Requests and connections that the egress did not make. */
  readonly refused: number;
}

/** The counts of one destination; the hot path adds to them. */
export type Tally = { -readonly [Count in keyof DestinationCounts]: DestinationCounts[Count] };

/** Where Weir connects to: a bounded list with counters. */
export class Destinations {
  readonly #byAddress = new Map<string, Destination & { readonly counts: Tally }>();
  readonly #stores: Destination[] = [];
  readonly #destinationsMax: number;

  constructor(destinationsMax: number = limits.destinationsMax) {
    this.#destinationsMax = destinationsMax;
  }

  tally(purpose: string, hostname: string, port: number): Tally {
    // URLs have brackets around IPv6 addresses, sockets have none.
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const existing = this.#byAddress.get(nameOf(purpose, host, port));
    if (existing !== undefined) return existing.counts;
    const isFull = this.#byAddress.size >= this.#destinationsMax;
    return isFull && host !== 'other' ? this.tally(purpose, 'other', 0) : this.#add(purpose, host, port);
  }

  /** Lists a server without counting. */
  addStore(purpose: string, url: string): void {
    // A store on a Unix socket has no host.
    const { hostname: host = '', port = '' } = URL.parse(url) ?? {};
    const counts = undefined;
    this.#stores.push({ purpose, host, port: Number(port || defaultPorts.get(purpose)), counts });
  }

  list(): readonly Destination[] {
    return [...this.#stores, ...this.#byAddress.values()];
  }

  #add(purpose: string, host: string, port: number): Tally {
    const counts: Tally = { requests: 0, connections: 0, failures: 0, refused: 0 };
    this.#byAddress.set(nameOf(purpose, host, port), { purpose, host, port, counts });
    return counts;
  }
}

const defaultPorts: ReadonlyMap<string, number> = new Map([
  ['database', 5432],
  ['redis', 6379],
]);

function nameOf(purpose: string, host: string, port: number): string {
  return `${purpose} ${host}:${port}`;
}

/** The port of an http or https address. */
export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
