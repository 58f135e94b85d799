import type { Block } from '../kernel/message.ts';
import type { Received } from '../kernel/received.ts';
import { tokensOfPiece } from '../kernel/token-estimate.ts';
import type { ProviderFormat, Unread } from '../kernel/wire-format.ts';
import { type Texts, textsIn } from './texts-in.ts';

/** About how many tokens a request has, from the lengths of its texts: nothing of it is parsed. */
export function estimatedInput({ wire, fields }: Received): number {
  const { saidIn, schemaIn, requestTokens, toolsTokens, toolBytesPerToken, schemaBytesPerToken } =
    wire.estimates;
  let tokens = requestTokens;
  for (const { name, valueStart, valueEnd } of fields.members()) {
    const value = fields.bytes.subarray(valueStart, valueEnd);
    if (saidIn.includes(name)) tokens += saidTokens(textsIn(value), wire);
    else if (name === 'tools' && value.byteLength > emptyList)
      tokens += toolsTokens + value.byteLength / toolBytesPerToken;
    else if (name === schemaIn && value.includes(schemaNameEnd))
      tokens += value.byteLength / schemaBytesPerToken;
  }
  return Math.max(tokensMin, Math.round(tokens));
}

function saidTokens({ strings, bytes, escapes, media }: Texts, { estimates }: ProviderFormat): number {
  const { textTokens, bytesPerToken, escapeTokens, mediaTokens } = estimates;
  return strings * textTokens + bytes / bytesPerToken + escapes * escapeTokens + media * mediaTokens;
}

/** Of `schema`, or of `responseSchema`. */
const schemaNameEnd = 'chema"';
const emptyList = 2;
const tokensMin = 5;

/** What an answer has by the length of its content, as tokens of a provider that speaks `wire`. */
export function estimatedOutput({ tokens, calls }: Unread, { estimates }: ProviderFormat): number {
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
