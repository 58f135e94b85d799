import type { RowOutcome } from '../kernel/ports/moving-report.ts';
import { limits } from './limits.ts';
import type { SectionName } from './sections.ts';

export interface SectionReport {
  readonly section: SectionName;
  readonly rows: number;
  readonly added: number;
  readonly unchanged: number;
  readonly conflicts: number;
  readonly replaced: number;
  readonly refused: number;
  /** Rows that stay in the file on any instance. */
  readonly left: number;
  /** The first rows that differ from those that are stored. */
  readonly conflicting: readonly string[];
  readonly reasons: readonly {
    readonly reason: string;
    readonly rows: number;
    readonly first: string | null;
  }[];
}

/** Counts what becomes of the rows of one section. */
export class SectionCounts {
  readonly #section: SectionName;
  readonly #counts = { added: 0, unchanged: 0, conflict: 0, replaced: 0, refused: 0, left: 0 };
  readonly #conflicting: string[] = [];
  readonly #reasons = new Map<string, { rows: number; first: string | null }>();

  constructor(section: SectionName) {
    this.#section = section;
  }

  add(standing: RowOutcome): void {
    this.#counts[standing.what]++;
    if ('name' in standing && standing.what !== 'refused') {
      if (this.#conflicting.length < limits.conflictsNamed)
        this.#conflicting.push(standing.name.slice(0, 200));
    } else if ('reason' in standing)
      this.#addReason(standing.reason, 'name' in standing ? standing.name : null);
  }

  #addReason(reason: string, first: string | null): void {
    const isKnown = this.#reasons.has(reason);
    const name = isKnown || this.#reasons.size < limits.reasonsNamed ? reason : 'other reasons';
    const known = this.#reasons.get(name) ?? { rows: 0, first: first?.slice(0, 200) ?? null };
    known.rows++;
    this.#reasons.set(name, known);
  }

  get report(): SectionReport {
    const { conflict, ...counts } = this.#counts;
    const rows = Object.values(this.#counts).reduce((all, one) => all + one, 0);
    return {
      ...{ section: this.#section, rows, ...counts, conflicts: conflict },
      conflicting: this.#conflicting,
      reasons: [...this.#reasons].map(([reason, about]) => ({ reason, ...about })),
    };
  }
}
