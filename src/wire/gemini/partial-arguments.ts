import type { JsonObject } from '../../lib/json.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { IncrementalJsonWriter } from './incremental-json-writer.ts';
import { parseJsonPath } from './json-path.ts';

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Content#FunctionCall */
export function isPartialCall(call: JsonObject): boolean {
  return call.willContinue === true || Array.isArray(call.partialArgs);
}

/** The arguments of one call as JSON text that grows with each piece. */
export class PartialArgumentsWriter {
  readonly #json = new IncrementalJsonWriter();
  #hasOutput = false;

  /** The text that a piece adds; undefined if it contradicts earlier ones. */
  write(call: JsonObject): string | undefined {
    let text = '';
    const whole = this.#hasOutput ? [] : Object.entries(objectOf(call.args) ?? {});
    for (const [name, value] of whole) text += this.#json.write([name], value) ?? '';
    for (const piece of objectsOf(call.partialArgs)) {
      const value = valueIn(piece);
      if (value === undefined) continue;
      const steps = parseJsonPath(stringOf(piece.jsonPath) ?? '');
      const written = steps === undefined ? undefined : this.#json.write(steps, value);
      if (written === undefined) return undefined;
      text += written;
    }
    this.#hasOutput ||= text !== '';
    return text;
  }

  end(): string {
    return this.#json.end();
  }
}

function valueIn({ stringValue, numberValue, boolValue, ...rest }: JsonObject): unknown {
  if ('nullValue' in rest) return null;
  return stringValue ?? numberValue ?? boolValue ?? undefined;
}
