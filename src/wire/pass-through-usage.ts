import type { Usage } from '../kernel/message.ts';
import type { JsonObject } from '../lib/json.ts';
import { sanitizeUsage } from './anthropic-messages/sanitize-usage.ts';
import { usageOf as geminiUsage } from './gemini/usage.ts';
import { objectOf } from './json-values.ts';
import { usageOf as chatUsage } from './openai-chat/usage.ts';
import { usageOf as responsesUsage } from './openai-responses/usage.ts';

/** The usage in an answer of a path that the gateway does not know, if it has the form of a known API. */
export function recognizedUsage(answer: JsonObject, isAnthropic: boolean): Usage | undefined {
  const google = objectOf(answer.usageMetadata);
  if (google !== undefined) return geminiUsage(google);
  const inner = objectOf(answer.response) ?? objectOf(answer.message) ?? answer;
  const usage = objectOf(inner.usage);
  if (usage === undefined) return undefined;
  if (isAnthropic) return sanitizeUsage(usage);
  return usage.input_tokens === undefined ? chatUsage(usage, inner) : responsesUsage(inner);
}
