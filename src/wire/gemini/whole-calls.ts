import type { JsonObject } from '../../kernel/json.ts';
import { toolInputOf } from '../openai/tool-input.ts';
import { objectOf, stringOf } from '../read.ts';
import { field } from './fields.ts';
import { isPartial, PartialArguments } from './partial-arguments.ts';

/** Parts of an answer that a client kept as they came, with calls that came in pieces put together again. */
export function wholeCalls(parts: readonly JsonObject[]): readonly JsonObject[] {
  if (!parts.some((part) => isPartial(callIn(part) ?? {}))) return parts;
  const whole: JsonObject[] = [];
  let open: GrowingPart | undefined;
  for (const part of parts) {
    const call = callIn(part);
    if (call === undefined || stringOf(call.name) || open === undefined) {
      if (open !== undefined) whole.push(open.end());
      open = call !== undefined && isPartial(call) ? new GrowingPart(part) : undefined;
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
  return objectOf(field(part, 'functionCall'));
}

class GrowingPart {
  readonly #first: JsonObject;
  readonly #arguments = new PartialArguments();
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
