import type { ClientRequest } from '../kernel/client-request.ts';
import type { Block } from '../kernel/message.ts';
import { estimateChunkTokens } from '../kernel/token-estimate.ts';
import type { ProviderFormat, UnreadContent } from '../kernel/wire-format.ts';
import { measureTexts, type TextStats } from './measure-texts.ts';

/** Estimates the tokens of a request from the lengths of its texts, without parsing them. */
export function estimateInputTokens({ wire, fields }: ClientRequest): number {
  const { textFields, schemaField, requestTokens, toolsTokens, toolBytesPerToken, schemaBytesPerToken } =
    wire.estimates;
  let tokens = requestTokens;
  for (const { name, valueStart, valueEnd } of fields.members()) {
    const value = fields.bytes.subarray(valueStart, valueEnd);
    if (textFields.includes(name)) tokens += estimateTextTokens(measureTexts(value), wire);
    else if (name === 'tools' && value.byteLength > emptyList)
      tokens += toolsTokens + value.byteLength / toolBytesPerToken;
    else if (name === schemaField && value.includes(schemaNameEnd))
      tokens += value.byteLength / schemaBytesPerToken;
  }
  return Math.max(tokensMin, Math.round(tokens));
}

function estimateTextTokens(
  { strings, bytes, escapes, media }: TextStats,
  { estimates }: ProviderFormat,
): number {
  const { textTokens, bytesPerToken, escapeTokens, mediaTokens } = estimates;
  return strings * textTokens + bytes / bytesPerToken + escapes * escapeTokens + media * mediaTokens;
}

/** The text of `schema` or `responseSchema`. */
const schemaNameEnd = 'chema"';
const emptyList = 2;
const tokensMin = 5;

/** Estimates the output tokens from the length of the content, for a provider that speaks `wire`. */
export function estimateOutputTokens(
  { tokens, calls }: UnreadContent,
  { estimates }: ProviderFormat,
): number {
  const { answerTokens, tokensPerExpected, callTokens } = estimates;
  return Math.round(answerTokens + tokens * tokensPerExpected + calls * callTokens);
}

/** Measures the content of an unstreamed answer. */
export function measureContent(blocks: readonly Block[]): UnreadContent {
  let tokens = 0;
  let calls = 0;
  for (const block of blocks) {
    tokens += estimateChunkTokens(blockChars(block));
    if (block.type === 'tool_use') calls++;
  }
  return { tokens, calls };
}

/** The text that the model wrote, without signatures. */
function blockChars(block: Block): number {
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
