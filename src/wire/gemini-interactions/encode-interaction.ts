import type { Answer, Block, TextBlock } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectsOf, omitUndefined, stringOf } from '../json-values.ts';
import { isContent } from './decode-content.ts';
import { ownPartOf, textPart } from './encode-content.ts';
import { statusFieldsOf } from './status.ts';
import { sealForeignSignature, signatureOfRedacted } from './thoughts.ts';
import { encodeUsage } from './usage.ts';

export function encodeInteraction(answer: Answer, clientBody: JsonObject, now: Date): JsonObject {
  return {
    ...interactionFields(answer, clientBody, now),
    ...statusFieldsOf(answer.stop_reason, answer.stop_details),
    steps: encodeAnswerSteps(answer),
    usage: encodeUsage(answer.usage),
  };
}

/** The fields of every interaction. */
export function interactionFields(
  { id, model }: Pick<Answer, 'id' | 'model'>,
  { previous_interaction_id }: JsonObject,
  now: Date,
): JsonObject {
  const time = `${now.toISOString().slice(0, 19)}Z`;
  return omitUndefined({
    id,
    object: 'interaction',
    model,
    created: time,
    updated: time,
    previous_interaction_id: stringOf(previous_interaction_id),
  });
}

/** The steps of an answer, one for each block. */
function encodeAnswerSteps({ content }: Answer): readonly JsonObject[] {
  const steps: JsonObject[] = [];
  for (const block of content) {
    const before = steps.at(-1);
    if (block.type !== 'redacted_thinking') steps.push(...stepsOf(block));
    else if (before?.type === 'thought' && before.signature === unsigned)
      steps[steps.length - 1] = { ...before, signature: signatureOfRedacted(block) };
    else steps.push({ type: 'thought', signature: signatureOfRedacted(block) });
  }
  return steps;
}

/** What a thought has in place of a signature until one follows: it shows that Google didn't sign it. */
const unsigned = sealForeignSignature('');

function stepsOf(block: Block): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [outputStep(textContent(block))];
    case 'thinking':
      return [
        {
          type: 'thought',
          summary: block.thinking === '' ? [] : [textPart(block.thinking)],
          signature: sealForeignSignature(block.signature ?? ''),
        },
      ];
    case 'tool_use': {
      const { id, name, input } = block;
      return [{ type: 'function_call', id, name, arguments: isJsonObject(input) ? input : { value: input } }];
    }
    default: {
      const own = ownPartOf(block);
      if (own === undefined) return [];
      return [isContent(own) ? outputStep(own) : own];
    }
  }
}

function outputStep(part: JsonObject): JsonObject {
  return { type: 'model_output', content: [part] };
}

function textContent(block: TextBlock): JsonObject {
  const annotations = 'citations' in block ? annotationsOf(objectsOf(block.citations), block.text) : [];
  return annotations.length === 0 ? textPart(block.text) : { ...textPart(block.text), annotations };
}

/** Original annotations, and URL citations of other formats, which cite the whole text. Positions count bytes. */
export function annotationsOf(citations: readonly JsonObject[], text: string): readonly JsonObject[] {
  return citations.flatMap((citation) => {
    const own = ownPartOf(citation);
    if (own !== undefined) return [own];
    const url = stringOf(citation.url);
    if (url === undefined) return [];
    const title = stringOf(citation.title);
    return [
      omitUndefined({
        type: 'url_citation',
        url,
        title,
        start_index: 0,
        end_index: Buffer.byteLength(text),
      }),
    ];
  });
}
