/** How the upstream of the benchmarks is to answer; without a wish it answers at once and unstreamed. */
export type UpstreamOptions =
  | {
      readonly kind: 'stream';
      readonly events: number;
      readonly intervalMs: number;
      /** Whether the connection is cut in the middle. */
      readonly breaks: boolean;
    }
  | { readonly kind: 'status'; readonly status: number };

/** As it travels in the field that names the end user, which every gateway passes on. */
export function writeUpstreamOptions(wish: UpstreamOptions): string {
  if (wish.kind === 'status') return `bench:status-${wish.status}`;
  return `bench:${wish.breaks ? 'broken' : 'stream'}-${wish.events}-${wish.intervalMs}`;
}

/** Looks only at the beginning of a body: a megabyte isn't searched, and those that wish for something are small. */
export function readUpstreamOptions(beginning: Buffer): UpstreamOptions | undefined {
  const text = beginning.toString('latin1', 0, 4096);
  const [, kind, first, second] = /bench:(\w+)-(\d+)(?:-(\d+))?/.exec(text) ?? [];
  if (kind === undefined) return undefined;
  if (kind === 'status') return { kind, status: Number(first) };
  return { kind: 'stream', events: Number(first), intervalMs: Number(second), breaks: kind === 'broken' };
}
