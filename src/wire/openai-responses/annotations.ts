import type { Block } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { foreignBlock, foreignPartOf } from '../foreign.ts';
import { numberOf, objectsOf, stringOf } from '../json-values.ts';

/** An annotation of this format as a citation that no other format understands; `offset` is how far its text has moved. */
export function toForeignCitation(annotation: JsonObject): unknown {
  return Object.assign(foreignBlock('openai-responses', annotation), { offset: 0 });
}

/** URL citations as annotations of their text, and original annotations; other citations have no equivalent here. */
export function annotationsOf(block: Block, textLength: number): readonly JsonObject[] {
  if (!('citations' in block)) return [];
  return objectsOf(block.citations).flatMap((citation) => annotationOf(citation, textLength));
}

export function annotationOf(citation: JsonObject, textLength: number): readonly JsonObject[] {
  const own = foreignAnnotationOf(citation);
  if (own !== undefined) return [own];
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

/** At its current position in the text. */
export function foreignAnnotationOf(citation: unknown): JsonObject | undefined {
  const foreignPart = foreignPartOf(citation);
  if (foreignPart?.wire !== 'openai-responses') return undefined;
  const { part } = foreignPart;
  const offset = (isJsonObject(citation) ? numberOf(citation.offset) : undefined) ?? 0;
  if (offset === 0) return part;
  const places = part.type === 'file_citation' ? ['index'] : ['start_index', 'end_index'];
  const moved = places.flatMap((field) => {
    const at = numberOf(part[field]);
    return at === undefined ? [] : [[field, at + offset] as const];
  });
  return { ...part, ...Object.fromEntries(moved) };
}
