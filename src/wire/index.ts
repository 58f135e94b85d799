import type { ModelListFormat } from '../kernel/model-list-format.ts';
import type { ProviderFormat, WireFormat } from '../kernel/wire-format.ts';
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts';
import { anthropicModels } from './anthropic-messages/models.ts';
import { bedrockConverse } from './bedrock-converse/bedrock-converse.ts';
import { gemini } from './gemini/gemini.ts';
import { geminiModels, vertexModels } from './gemini/models.ts';
import { openaiModels } from './openai-chat/models.ts';
import { openaiChat } from './openai-chat/openai-chat.ts';
import { openaiResponses } from './openai-responses/openai-responses.ts';

export { FrameGate } from './frame-gate.ts';
export { anthropicMessages, bedrockConverse, gemini, openaiChat, openaiResponses };

/** How models can be listed; of those at one path, the last takes what the others leave. */
export const modelDialects: readonly ModelListFormat[] = [
  anthropicModels,
  openaiModels,
  geminiModels,
  vertexModels,
];

/** Every format the gateway speaks. */
export const wireFormats: readonly WireFormat[] = [anthropicMessages, openaiChat, openaiResponses, gemini];

/** And those that are spoken to providers alone. */
const providerFormats: readonly ProviderFormat[] = [...wireFormats, bedrockConverse];

/** In which an answer may have been recorded. */
export function providerFormatByName(name: string): ProviderFormat | undefined {
  return providerFormats.find((wire) => wire.name === name);
}

export function wireByName(name: string): WireFormat | undefined {
  return wireFormats.find((wire) => wire.name === name);
}
