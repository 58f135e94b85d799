import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { parseExact } from '../lib/json.ts';
import { shapeOf } from '../lib/json-scan.ts';
import type { ExtensionFields } from './extension-fields.ts';

/** Parses arguments from a JSON string; invalid JSON stays a string. In a request their values count toward its limit. */
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
    // Some models write `null` for a tool without arguments.
    return parseExact(text) ?? {};
  } catch {
    return text;
  }
}
