import type { Received } from '../kernel/exchange.ts';
import type { Block } from '../kernel/message.ts';
import { tokensOfPiece } from '../kernel/token-estimate.ts';
import type { Unread, WireFormat } from '../kernel/wire-format.ts';
import { type Texts, textsIn } from './texts-in.ts';

/** About how many tokens a request has, from the lengths of its texts: nothing of it is parsed. */
export function estimatedInput({ wire, fields }: Received): number {
  const { requestTokens, toolsTokens, toolBytesPerToken, schemaBytesPerToken } = wire.estimates;
  let tokens = requestTokens;
  for (const { name, valueStart, valueEnd } of fields.members()) {
    const value = fields.bytes.subarray(valueStart, valueEnd);
    if (said.has(name)) tokens += saidTokens(textsIn(value), wire);
    else if (name === 'tools' && value.byteLength > emptyList)
      tokens += toolsTokens + value.byteLength / toolBytesPerToken;
    else if (formats.has(name) && value.includes('"schema"'))
      tokens += value.byteLength / schemaBytesPerToken;
  }
  return Math.max(tokensMin, Math.round(tokens));
}

function saidTokens({ strings, bytes, escapes, media }: Texts, { estimates }: WireFormat): number {
  const { textTokens, bytesPerToken, escapeTokens, mediaTokens } = estimates;
  return strings * textTokens + bytes / bytesPerToken + escapes * escapeTokens + media * mediaTokens;
}

/** The fields of all formats that a model reads: what is said, and where a schema for the answer may be. */
const said: ReadonlySet<string> = new Set(['system', 'messages', 'instructions', 'input']);
const formats: ReadonlySet<string> = new Set(['response_format', 'text', 'output_config']);
const emptyList = 2;
const tokensMin = 5;

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
