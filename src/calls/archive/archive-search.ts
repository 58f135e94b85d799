import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntryFilter } from '../../kernel/ports/collections.ts';
import { contentWords, sharedContentWords } from '../../lib/content-words.ts';
import { limits } from '../limits.ts';
import type { ArchiveEntries, ArchiveFields } from './archives.ts';

interface SearchOptions {
  readonly where: EntryFilter<ArchiveFields>;
  readonly limit: number | undefined;
}

interface ScannedItem {
  readonly ref: string;
  readonly words: ReadonlySet<string>;
}

/**
 * The refs of the items that share the most words with a text; rare words count more. Opens a bounded number of the
 * newest items, one at a time.
 */
export async function searchArchive(
  entries: ArchiveEntries,
  text: string,
  { where, limit = limits.archiveFoundMax }: SearchOptions,
): Promise<readonly string[]> {
  const wanted = new Set(contentWords(text.slice(0, limits.archiveSearchCharactersMax)));
  if (wanted.size === 0) return [];
  const scanned: ScannedItem[] = [];
  const budget = { bytes: limits.archiveScannedBytesMax, characters: limits.archiveScannedCharactersMax };
  const newest = { where, orderBy: 'createdAt', descending: true, limit: limits.archiveScannedMax } as const;
  for (const { key, bytes } of (await entries.list(newest)).entries) {
    budget.bytes -= bytes;
    if (budget.bytes < 0 || budget.characters <= 0) break;
    const entry = await entries.get(key);
    if (entry !== undefined) scanned.push({ ref: key, words: await wordsIn(entry.value, wanted, budget) });
  }
  return rank(scanned)
    .slice(0, Math.min(limit, limits.archiveFoundMax))
    .map(({ ref }) => ref);
}

/** The wanted words in the texts of an item. Gives other work a turn after each piece. */
async function wordsIn(
  content: unknown,
  wanted: ReadonlySet<string>,
  budget: { characters: number },
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const piece = limits.archiveScannedCharactersAtOnce;
  for (const text of textsIn(content))
    for (let at = 0; at < text.length && budget.characters > 0 && found.size < wanted.size; at += piece) {
      budget.characters -= Math.min(piece, text.length - at);
      for (const word of sharedContentWords(text.slice(at, at + piece), wanted)) found.add(word);
      await nextTurn();
    }
  return found;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* textsIn(inner);
}

/** The best first; of equal ones the newest. Items without a shared word are left out. */
function rank(scanned: readonly ScannedItem[]): readonly ScannedItem[] {
  const itemsWith = new Map<string, number>();
  for (const { words } of scanned)
    for (const word of words) itemsWith.set(word, (itemsWith.get(word) ?? 0) + 1);
  const score = ({ words }: ScannedItem) =>
    [...words].reduce((sum, word) => sum + Math.log(1 + scanned.length / (itemsWith.get(word) ?? 1)), 0);
  return scanned
    .map((item) => ({ item, score: score(item) }))
    .filter((ranked) => ranked.score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item);
}
