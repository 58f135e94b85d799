import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Usage } from '../../kernel/message.ts';
import { type Checks, isCost, isCount, soundFields } from '../read.ts';

/** Usage as a provider told it, without what can't be true; the same object where all of it can. */
export function soundUsage(told: unknown): Usage {
  return isJsonObject(told) ? soundFields(told, usage) : none;
}

const none: Usage = {};

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

const counts: Checks = {
  input_tokens: isCount,
  output_tokens: isCount,
  cache_read_input_tokens: isCount,
  cache_creation_input_tokens: isCount,
  input_audio_tokens: isCount,
  output_audio_tokens: isCount,
  cache_creation: within({ ephemeral_5m_input_tokens: isCount, ephemeral_1h_input_tokens: isCount }),
  output_tokens_details: within({ thinking_tokens: isCount }),
  server_tool_use: within({ web_search_requests: isCount, file_search_requests: isCount }),
  service_tier: isText,
  speed: isText,
  inference_geo: isText,
};

const pass: Checks = { ...counts, type: isText, model: isText };

const usage: Checks = { ...counts, iterations: arePasses, cost: isCost };

function within(checks: Checks): (value: unknown) => boolean {
  return (value) => isJsonObject(value) && isSound(value, checks);
}

function arePasses(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => isJsonObject(one) && isSound(one, pass));
}

function isSound(told: JsonObject, checks: Checks): boolean {
  return soundFields(told, checks) === told;
}
