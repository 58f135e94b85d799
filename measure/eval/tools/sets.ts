import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool } from '../../../src/module-api.ts';

/** A tool of the data; `source_name` where two of one name had to be told apart. */
export type EvalTool = Tool & { readonly source_name?: string };

export interface EvalQuery {
  readonly id: string;
  readonly text: string;
  readonly tools: 'all' | readonly string[];
  /** What is needed; a list means any one of these. Empty where nothing fits. */
  readonly gold: readonly (string | readonly string[])[];
}

export interface PaddedQuery extends EvalQuery {
  readonly tools: readonly string[];
}

export function rowsOf<Row>(folder: string, file: string): readonly Row[] {
  return readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}

/** Fills a query's list with strangers up to `size`, in an order that depends on its id alone. No stranger has the name of one that is there. */
export function padded(query: EvalQuery, pool: readonly EvalTool[], size: number): PaddedQuery {
  const list = new Set(query.tools === 'all' ? query.gold.flat() : query.tools);
  const taken = new Set([...list].map((name) => plain(name)));
  const random = numbersFrom(query.id);
  for (const { name, source_name } of shuffled(pool, random)) {
    if (list.size >= size) break;
    const meaning = (source_name ?? plain(name)).toLowerCase().replace(/\W/g, '_');
    if (taken.has(meaning)) continue;
    taken.add(meaning);
    list.add(name);
  }
  return { ...query, tools: shuffled([...list], random) };
}

function plain(name: string): string {
  return name.replace(/__\d+$/, '').toLowerCase();
}

/** Numbers from 0 to 1 that are the same for the same text (FNV-1a, mulberry32). */
export function numbersFrom(text: string): () => number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}
