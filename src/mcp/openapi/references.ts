import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { limits } from './limits.ts';
import { OperationFault } from './operation-fault.ts';

/** Follows the references within a document. Those to other documents are never followed. */
export class References {
  readonly document: JsonObject;
  /** The number of values of a schema with all references replaced. */
  readonly #sizes = new Map<string, number>();

  constructor(document: JsonObject) {
    this.document = document;
  }

  /** The object itself, or the one that it refers to. */
  resolve(value: unknown): JsonObject {
    let current = value;
    for (let steps = 0; steps < limits.referenceStepsMax; steps++) {
      if (!isJsonObject(current)) throw new OperationFault('a part of its description is not an object');
      const { $ref: reference } = current;
      if (typeof reference !== 'string') return current;
      current = this.at(reference);
    }
    throw new OperationFault('its description has references that lead in a circle');
  }

  /** What a reference such as `#/components/schemas/Pet` leads to. */
  at(reference: string): unknown {
    if (!reference.startsWith('#'))
      throw new OperationFault(`it refers to another document (${reference.slice(0, 100)})`);
    let value: unknown = this.document;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const name = unescapePointer(part);
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? Object(value)[name]
          : undefined;
    }
    if (value === undefined) throw new OperationFault(`"${reference.slice(0, 100)}" is not in the document`);
    return value;
  }

  /** The values of a schema with all its references replaced; infinite for one that contains itself. */
  sizeOf(reference: string, depth = 0): number {
    const known = this.#sizes.get(reference);
    if (known !== undefined) return known;
    this.#sizes.set(reference, Number.POSITIVE_INFINITY);
    const size =
      depth > limits.referenceStepsMax ? Number.POSITIVE_INFINITY : this.#valuesIn(this.at(reference), depth);
    this.#sizes.set(reference, size);
    return size;
  }

  #valuesIn(value: unknown, depth: number): number {
    if (typeof value !== 'object' || value === null) return 1;
    if (isJsonObject(value) && typeof value.$ref === 'string') return this.sizeOf(value.$ref, depth + 1);
    let values = 1;
    for (const inner of Object.values(value)) values += this.#valuesIn(inner, depth);
    return values;
  }
}

function unescapePointer(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // As written: not everybody escapes percent signs.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}
