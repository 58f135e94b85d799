import { isJsonObject } from '../lib/json.ts';
import { objectsOf, stringOf } from './json-values.ts';

/** The text of a document that consists of texts, which only Messages has; undefined if it is another one, or has pictures. */
export function contentSourceText(source: unknown): string | undefined {
  if (!isJsonObject(source) || source.type !== 'content') return undefined;
  if (typeof source.content === 'string') return source.content;
  const texts = objectsOf(source.content).map(({ type, text }) =>
    type === 'text' ? stringOf(text) : undefined,
  );
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join('\n\n');
}
