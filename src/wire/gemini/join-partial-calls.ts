import type { JsonObject } from '../../lib/json.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { toolInputOf } from '../tool-input.ts';
import { readField } from './fields.ts';
import { isPartialCall, PartialArgumentsWriter } from './partial-arguments.ts';

/** Joins streamed partial calls in the parts of a stored reply. */
export function joinPartialCalls(parts: readonly JsonObject[]): readonly JsonObject[] {
  if (!parts.some((part) => isPartialCall(callIn(part) ?? {}))) return parts;
  const whole: JsonObject[] = [];
  let open: PartialCallPart | undefined;
  for (const part of parts) {
    const call = callIn(part);
    if (call === undefined || stringOf(call.name) || open === undefined) {
      if (open !== undefined) whole.push(open.end());
      open = call !== undefined && isPartialCall(call) ? new PartialCallPart(part) : undefined;
      if (open === undefined) whole.push(part);
    }
    if (call === undefined || open === undefined) continue;
    open.grow(call);
    if (call.willContinue === true) continue;
    whole.push(open.end());
    open = undefined;
  }
  return open === undefined ? whole : [...whole, open.end()];
}

function callIn(part: JsonObject): JsonObject | undefined {
  return objectOf(readField(part, 'functionCall'));
}

class PartialCallPart {
  readonly #first: JsonObject;
  readonly #arguments = new PartialArgumentsWriter();
  #text = '';

  constructor(first: JsonObject) {
    this.#first = first;
  }

  grow(call: JsonObject): void {
    this.#text += this.#arguments.write(call) ?? '';
  }

  end(): JsonObject {
    const { id, name } = callIn(this.#first) ?? {};
    const args = toolInputOf(this.#text + this.#arguments.end());
    return { ...this.#first, functionCall: { id, name, args } };
  }
}
