import type { Finding } from '../finding.ts';

/** How sure a recognizer is. */
export const bySurroundings = 1;
export const byFormat = 2;
export const byChecksum = 3;

export type Certainty = typeof bySurroundings | typeof byFormat | typeof byChecksum;

interface Candidate extends Finding {
  readonly certainty: Certainty;
}

/** What the recognizers have found in one text. */
export class PatternFindings {
  readonly #kinds: ReadonlySet<string>;
  readonly #candidates: Candidate[] = [];

  constructor(kinds: ReadonlySet<string>) {
    this.#kinds = kinds;
  }

  wants(kind: string): boolean {
    return this.#kinds.has(kind);
  }

  add(finding: Finding, certainty: Certainty): void {
    if (this.#kinds.has(finding.kind)) this.#candidates.push({ ...finding, certainty });
  }

  /** In order of position. Of two that overlap, the more certain one, then the longer one. */
  findings(): readonly Finding[] {
    const kept: Candidate[] = [];
    for (const candidate of this.#candidates.sort((a, b) => a.start - b.start || b.end - a.end)) {
      const last = kept.at(-1);
      if (last === undefined || last.end <= candidate.start) kept.push(candidate);
      else if (isBetter(candidate, last)) kept[kept.length - 1] = candidate;
    }
    return kept.map(({ start, end, kind }) => ({ start, end, kind }));
  }
}

function isBetter(a: Candidate, b: Candidate): boolean {
  return a.certainty === b.certainty ? a.end - a.start > b.end - b.start : a.certainty > b.certainty;
}
