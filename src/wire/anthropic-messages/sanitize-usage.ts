import type { Usage } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { dropInvalidFields, type FieldChecks, isCost, isCount } from '../json-values.ts';

/** The provider's usage without impossible values; the same object if all are possible. */
export function sanitizeUsage(usage: unknown): Usage {
  return isJsonObject(usage) ? dropInvalidFields(usage, usageChecks) : emptyUsage;
}

const emptyUsage: Usage = {};

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

const countChecks: FieldChecks = {
  input_tokens: isCount,
  output_tokens: isCount,
  cache_read_input_tokens: isCount,
  cache_creation_input_tokens: isCount,
  input_audio_tokens: isCount,
  output_audio_tokens: isCount,
  cache_creation: objectCheck({ ephemeral_5m_input_tokens: isCount, ephemeral_1h_input_tokens: isCount }),
  output_tokens_details: objectCheck({ thinking_tokens: isCount }),
  server_tool_use: objectCheck({
    web_fetch_requests: isCount,
    web_search_requests: isCount,
    preview_search_requests: isCount,
    file_search_requests: isCount,
    unpriced_requests: isCount,
  }),
  service_tier: isString,
  speed: isString,
  inference_geo: isString,
};

const iterationChecks: FieldChecks = { ...countChecks, type: isString, model: isString };

const usageChecks: FieldChecks = {
  ...countChecks,
  iterations: areIterations,
  fallback_credit: (value) =>
    isJsonObject(value) && isJsonObject(value.status) && isString(value.status.type),
  cost: isCost,
};

function objectCheck(checks: FieldChecks): (value: unknown) => boolean {
  return (value) => isJsonObject(value) && isValid(value, checks);
}

function areIterations(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => isJsonObject(one) && isValid(one, iterationChecks));
}

function isValid(object: JsonObject, checks: FieldChecks): boolean {
  return dropInvalidFields(object, checks) === object;
}
