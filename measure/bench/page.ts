import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison } from './compare.ts';
import { legend, markdownTable } from './table.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'how-it-works');
const pageFile = join(folder, 'benchmarks.md');
const [begin, end] = ['<!-- figures: written by npm run bench -- --docs -->', '<!-- end of figures -->'];

export const chartFile = join(folder, 'benchmarks.svg');

export interface Findings {
  readonly comparisons: readonly Comparison[];
  readonly circumstances: string;
  readonly achieved: readonly string[];
}

/** Writes the figures into the page about them, and leaves the rest of it as it is. */
export function writePage({ comparisons, circumstances, achieved }: Findings): void {
  const page = readFileSync(pageFile, 'utf8');
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${pageFile} has no place for figures`);
  const figures = [
    circumstances,
    markdownTable(comparisons),
    legend,
    achieved.map((line) => `- ${line}`).join('\n'),
  ].join('\n\n');
  writeFileSync(pageFile, `${before}${begin}\n\n${figures}\n\n${end}${after}`);
}
