import { isJsonObject } from '../lib/json.ts';
import { objectsOf, stringOf } from './json-values.ts';

/** A client's search result as text; undefined for other blocks. */
export function searchResultText(block: unknown): string | undefined {
  if (!isJsonObject(block) || block.type !== 'search_result') return undefined;
  const head = [block.title, block.source].flatMap((line) => stringOf(line) ?? []).join('\n');
  const texts = objectsOf(block.content).flatMap(({ text }) => stringOf(text) ?? []);
  return [head, ...texts].filter((piece) => piece !== '').join('\n\n');
}
