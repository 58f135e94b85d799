import type { Format } from './formats.ts';
import type { Recording } from './recordings.ts';

interface Count {
  calls: number;
  right: number;
}

/** What came of one pair of formats. */
export class Row {
  /** The name of the format that providers are asked in. */
  readonly provider: string;
  readonly client: Format;
  readonly counts = new Map<string, Count>();
  readonly failures: string[] = [];
  readonly #startedAtMs = performance.now();
  #endedAtMs = 0;

  constructor(provider: string, client: Format) {
    this.provider = provider;
    this.client = client;
  }

  get name(): string {
    const { provider, client } = this;
    return this.isOwn ? provider : `${provider} → ${client.wire.name}`;
  }

  get isOwn(): boolean {
    return this.provider === this.client.wire.name;
  }

  get calls(): number {
    return [...this.counts.values()].reduce((sum, { calls }) => sum + calls, 0);
  }

  get seconds(): number {
    return Math.max(0, this.#endedAtMs - this.#startedAtMs) / 1000;
  }

  /** `faults` is empty for a call that went right. */
  count(what: string, faults: readonly string[], { id }: Recording): void {
    const count = this.counts.get(what) ?? { calls: 0, right: 0 };
    count.calls++;
    if (faults.length === 0) count.right++;
    else this.failures.push(`${this.name}, ${what}, ${id}\n    ${faults.join('\n    ')}`);
    this.counts.set(what, count);
    this.#endedAtMs = performance.now();
  }
}

/** One line a pair: how many were right of how many, for each kind of call. */
export function tableOf(rows: readonly Row[]): string {
  const kinds = [...new Set(rows.flatMap((row) => [...row.counts.keys()]))];
  const lines = [
    ['', ...kinds, 'ms a call'],
    ...rows.map((row) => [
      row.name,
      ...kinds.map((kind) => rightOf(row.counts.get(kind))),
      ((row.seconds * 1000) / Math.max(1, row.calls)).toFixed(1),
    ]),
  ];
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? [];
  return lines.map((line) => line.map((cell, at) => padded(cell, widths[at] ?? 0, at)).join('  ')).join('\n');
}

function rightOf(count: Count | undefined): string {
  return count === undefined ? '' : `${count.right}/${count.calls}`;
}

function padded(cell: string, width: number, at: number): string {
  return at === 0 ? cell.padEnd(width) : cell.padStart(width);
}
