import type { JsonObject } from '../../kernel/json.ts';
import type { Block } from '../../kernel/message.ts';
import { objectsOf, stringOf } from '../read.ts';

/** Citations of pages, as annotations of their text; others have no equivalent here. */
export function annotationsOf(block: Block, textLength: number): readonly JsonObject[] {
  if (!('citations' in block)) return [];
  return objectsOf(block.citations).flatMap((citation) => annotationOf(citation, textLength));
}

export function annotationOf(citation: JsonObject, textLength: number): readonly JsonObject[] {
  const url = stringOf(citation.url);
  if (url === undefined) return [];
  return [
    {
      type: 'url_citation',
      start_index: 0,
      end_index: textLength,
      title: stringOf(citation.title) ?? '',
      url,
    },
  ];
}
