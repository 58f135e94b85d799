import type { Delta, ReplyEvent } from './message.ts';

/** Prose has between 3.5 and 4.5 characters per token with any provider. */
const charsPerToken = 4;

/** Estimates the tokens in a delta: at least one, since models write whole tokens. */
export function estimateChunkTokens(chars: number): number {
  return chars > charsPerToken ? chars / charsPerToken : 1;
}

export function contentChars(events: readonly ReplyEvent[]): number {
  let chars = 0;
  for (const event of events) if (event.type === 'content_block_delta') chars += deltaChars(event.delta);
  return chars;
}

/** The model doesn't write signatures and citations. */
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
