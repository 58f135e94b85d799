import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../../src/modules/guardrails/finding.ts';

/** A labelled text. */
export interface LabelledText {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly LabelledSpan[];
}

interface LabelledSpan {
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly value: string;
}

export function readRows<Row>(folder: string, file: string): readonly Row[] {
  return readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}

/** Counts of one type. A finding is right if it overlaps a label of its type. */
export class SpanCounts {
  labels = 0;
  hits = 0;
  right = 0;
  wrong = 0;

  line(name: string): string {
    const precision = this.right / (this.right + this.wrong);
    const recall = this.hits / this.labels;
    const f2 = (5 * precision * recall) / (4 * precision + recall);
    const figures = [precision, recall, f2].map((figure) =>
      (Number.isNaN(figure) ? '-' : figure.toFixed(3)).padStart(9),
    );
    return `${name.padEnd(20)}${String(this.labels).padStart(7)}${figures.join('')}${String(this.wrong).padStart(7)}`;
  }
}

export const spanHeading = `${'type'.padEnd(20)} labels        P        R       F2  wrong`;

export function overlaps(a: Pick<Finding, 'start' | 'end'>, b: Pick<Finding, 'start' | 'end'>): boolean {
  return a.start < b.end && b.start < a.end;
}

/** A text with a range marked, on one line. */
export function excerpt(text: string, { start, end }: Pick<Finding, 'start' | 'end'>): string {
  const marked = `${text.slice(Math.max(0, start - 40), start)}⟦${text.slice(start, end)}⟧${text.slice(end, end + 20)}`;
  return marked.replace(/\s+/g, ' ');
}
