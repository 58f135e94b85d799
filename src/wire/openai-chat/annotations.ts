import type { Block } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectsOf, stringOf } from '../json-values.ts';

/** URL citations as annotations of the whole text; other citations have no equivalent here. */
export function annotationsOf(content: readonly Block[]): readonly JsonObject[] {
  const annotations: JsonObject[] = [];
  let offset = 0;
  for (const block of content) {
    if (block.type !== 'text') continue;
    const end = offset + block.text.length;
    const citations = 'citations' in block ? objectsOf(block.citations) : [];
    for (const citation of citations) annotations.push(...annotationOf(citation, offset, end));
    offset = end;
  }
  return annotations;
}

export function annotationOf(citation: JsonObject, start: number, end: number): readonly JsonObject[] {
  const url = stringOf(citation.url);
  if (url === undefined) return [];
  const title = stringOf(citation.title) ?? '';
  return [{ type: 'url_citation', url_citation: { start_index: start, end_index: end, title, url } }];
}
