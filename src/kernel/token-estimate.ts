import type { Delta, ReplyEvent } from './message.ts';

/** Prose of any provider has between 3.5 and 4.5 characters in a token. */
const charsPerToken = 4;

/** About how many tokens are in a piece of an answer: models write whole tokens, so there is one at least. */
export function estimateChunkTokens(chars: number): number {
  return chars > charsPerToken ? chars / charsPerToken : 1;
}

export function contentChars(events: readonly ReplyEvent[]): number {
  let chars = 0;
  for (const event of events) if (event.type === 'content_block_delta') chars += deltaChars(event.delta);
  return chars;
}

/** Signatures and citations are not written by the model. */
export function deltaChars(delta: Delta): number {
  switch (delta.type) {
    case 'text_delta':
      return delta.text.length;
    case 'thinking_delta':
      return delta.thinking.length;
    case 'input_json_delta':
      return delta.partial_json.length;
    default:
      return 0;
  }
}
