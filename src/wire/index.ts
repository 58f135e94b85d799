import { isEstimable } from '../kernel/relay.ts';
import type { SessionProtocol } from '../kernel/session-protocol.ts';
import type { ProviderFormat, WireFormat } from '../kernel/wire-format.ts';
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts';
import { anthropicModels } from './anthropic-messages/models.ts';
import { bedrockConverse } from './bedrock-converse/bedrock-converse.ts';
import { gemini } from './gemini/gemini.ts';
import { geminiModels, vertexModels } from './gemini/models.ts';
import { geminiInteractions } from './gemini-interactions/gemini-interactions.ts';
import type { ModelListFormat } from './model-list-format.ts';
import { openaiModels } from './openai-chat/models.ts';
import { openaiChat } from './openai-chat/openai-chat.ts';
import { openaiResponsesCompact } from './openai-responses/compact-format.ts';
import { openaiResponses } from './openai-responses/openai-responses.ts';
import { createRelayFormat, isJsonType, relayDecoder } from './relay-format.ts';
import { geminiLive } from './sessions/gemini-live.ts';
import { openaiRealtime } from './sessions/openai-realtime.ts';

/** The APIs of sessions. */
export const sessionProtocols: readonly SessionProtocol[] = [openaiRealtime, geminiLive];

export { FrameGate } from './frame-gate.ts';
export {
  inputItemPage,
  storedResponseOf,
  streamStoredResponse,
} from './openai-responses/stored-response.ts';
export { recognizedUsage } from './pass-through-usage.ts';
export {
  anthropicMessages,
  bedrockConverse,
  createRelayFormat,
  gemini,
  geminiInteractions,
  isJsonType,
  openaiChat,
  openaiResponses,
  openaiResponsesCompact,
  relayDecoder,
};

/** Model list formats; of those at the same path, the last is the fallback. */
export const modelDialects: readonly ModelListFormat[] = [
  anthropicModels,
  openaiModels,
  geminiModels,
  vertexModels,
];

/** Every format that clients can use. */
export const wireFormats: readonly WireFormat[] = [
  anthropicMessages,
  openaiChat,
  openaiResponses,
  gemini,
  geminiInteractions,
];

/** Includes the formats of single endpoints. */
export const endpointFormats: readonly WireFormat[] = [...wireFormats, openaiResponsesCompact];

/** Includes the formats used only with providers. */
const providerFormats: readonly ProviderFormat[] = [...endpointFormats, bedrockConverse];

/** The format of a recorded reply. */
export function providerFormatByName(name: string): ProviderFormat | undefined {
  return providerFormats.find((wire) => wire.name === name);
}

export function wireByName(name: string): WireFormat | undefined {
  return endpointFormats.find((wire) => wire.name === name);
}

const formatsByPath = new Map<string, WireFormat>();
const modelInPath = /^(\/v1beta\/models\/).+(:\w+)$/;

/** The format of single calls to a path whose tokens have a price; undefined for all other paths. */
export function formatOfPath(path: string): WireFormat | undefined {
  if (formatsByPath.size === 0)
    for (const wire of endpointFormats)
      for (const route of wire.routes) {
        if (route.purpose === 'answer') formatsByPath.set(route.path, wire);
        else if (route.purpose === 'relay' && isEstimable(route) && route.textFields !== undefined)
          formatsByPath.set(route.path, createRelayFormat(wire, route));
      }
  return formatsByPath.get(path.replace(modelInPath, '$1*$2'));
}
