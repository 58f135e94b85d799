import { GatewayError } from '../kernel/errors.ts';
import { parseExact } from '../kernel/json.ts';
import { shapeOf } from '../kernel/json-scan.ts';
import { limits } from '../kernel/limits.ts';
import type { ExtensionFields } from './extension-fields.ts';

/** Arguments are JSON in a string; what is no JSON stays as the string it is. In a request they count as its values do. */
export function toolInputOf(text: unknown, request?: ExtensionFields): unknown {
  if (typeof text !== 'string') return text ?? {};
  if (text.trim() === '') return {};
  const { values } = shapeOf(text, limits.jsonValuesMax);
  if (request === undefined && values > limits.jsonValuesMax) return text;
  if (request !== undefined) {
    request.embeddedJson.values += values;
    if (request.embeddedJson.values > limits.jsonValuesMax)
      throw new GatewayError(
        'invalid_json',
        `tool call arguments contain more than ${limits.jsonValuesMax} values`,
      );
  }
  try {
    // Some models write `null` where a tool takes nothing.
    return parseExact(text) ?? {};
  } catch {
    return text;
  }
}
