import type { Received } from '../kernel/exchange.ts';
import type { Block } from '../kernel/message.ts';
import { tokensOfPiece } from '../kernel/token-estimate.ts';
import type { Unread, WireFormat } from '../kernel/wire-format.ts';

/** About how many tokens a request has, from its bytes alone. */
export function estimatedInput({ wire, bytes, fields }: Received): number {
  const { bytesPerToken, toolsTokens, mediaTokens } = wire.estimates;
  const media = mediaIn(bytes);
  const tools = fields.listBytes('tools') ? toolsTokens : 0;
  const text = (bytes.byteLength - media.bytes - bytesAround) / bytesPerToken;
  return Math.max(tokensMin, Math.round(text + tools + media.pieces * mediaTokens));
}

/** What an answer has by the length of its content, as tokens of a provider that speaks `wire`. */
export function estimatedOutput({ tokens, calls }: Unread, { estimates }: WireFormat): number {
  const { answerTokens, tokensPerExpected, callTokens } = estimates;
  return Math.round(answerTokens + tokens * tokensPerExpected + calls * callTokens);
}

/** How much is in an answer that came in one piece. */
export function contentOf(blocks: readonly Block[]): Unread {
  let tokens = 0;
  let calls = 0;
  for (const block of blocks) {
    tokens += tokensOfPiece(writtenChars(block));
    if (block.type === 'tool_use') calls++;
  }
  return { tokens, calls };
}

/** What the model wrote; signatures are not its own. */
function writtenChars(block: Block): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'thinking':
      return block.thinking.length;
    case 'tool_use':
      return JSON.stringify(block.input)?.length ?? 0;
    default:
      return 0;
  }
}

/** Names and brackets that every request has, and no model reads. */
const bytesAround = 50;
const tokensMin = 5;

/** Pictures, documents and sound, which count by what they show and not by their bytes. */
function mediaIn(request: Uint8Array): { readonly bytes: number; readonly pieces: number } {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  let mediaBytes = 0;
  let pieces = 0;
  if (!bytes.includes('base64') && !bytes.includes('input_audio')) return { bytes: mediaBytes, pieces };
  let start = bytes.indexOf(quote) + 1;
  for (let end = bytes.indexOf(quote, start); end >= 0; end = bytes.indexOf(quote, start)) {
    if (end - start > mediaBytesMin && !bytes.subarray(start, end).includes(space)) {
      mediaBytes += end - start;
      pieces++;
    }
    start = end + 1;
  }
  return { bytes: mediaBytes, pieces };
}

/** Nothing else is that long without a space. */
const mediaBytesMin = 400;
const quote = 34;
const space = 32;
