import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { nearestName } from '../../lib/nearest-name.ts';
import { limits } from './limits.ts';

/** What is wrong with a value, by the schema of a tool; empty if nothing is. Each fault names the place. */
export function findFaults(value: unknown, schema: JsonObject): readonly string[] {
  const check = new Check(schema);
  check.compare(value, schema, '');
  return check.faults;
}

/** Knows the keywords that `InputSchemas` and `promisedSchema` write. */
class Check {
  readonly faults: string[] = [];
  readonly #definitions: JsonObject;
  #steps = 0;

  constructor({ $defs }: JsonObject) {
    this.#definitions = isJsonObject($defs) ? $defs : {};
  }

  compare(value: unknown, schema: unknown, place: string): void {
    if (schema === false) this.#add(place, 'is not allowed');
    if (!isJsonObject(schema) || ++this.#steps > limits.checkStepsMax) return;
    const { $ref: reference, type } = schema;
    if (typeof reference === 'string')
      this.compare(value, this.#definitions[reference.slice('#/$defs/'.length)], place);
    if (type === undefined || hasType(value, type)) this.#compareKeywords(value, schema, place);
    else this.#add(place, `must be ${typeText(type)}`);
  }

  #compareKeywords(value: unknown, schema: JsonObject, place: string): void {
    this.#compareChoice(value, schema, place);
    if (typeof value === 'number') this.#compareNumber(value, schema, place);
    if (typeof value === 'string') this.#compareSize([...value].length, schema, { place, ...lengthKeywords });
    if (Array.isArray(value)) this.#compareItems(value, schema, place);
    else if (isJsonObject(value)) this.#compareFields(value, schema, place);
    const { allOf, anyOf } = schema;
    if (Array.isArray(allOf)) for (const inner of allOf) this.compare(value, inner, place);
    if (Array.isArray(anyOf)) this.#compareAlternatives(value, anyOf, place);
  }

  #compareChoice(value: unknown, schema: JsonObject, place: string): void {
    const { enum: values } = schema;
    if (Array.isArray(values) && !values.some((one) => isDeepStrictEqual(one, value)))
      this.#add(place, `must be one of ${JSON.stringify(values).slice(0, 300)}`);
    if ('const' in schema && !isDeepStrictEqual(schema.const, value))
      this.#add(place, `must be ${JSON.stringify(schema.const)?.slice(0, 300)}`);
  }

  #compareNumber(value: number, schema: JsonObject, place: string): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    if (typeof minimum === 'number' && value < minimum) this.#add(place, `must be at least ${minimum}`);
    if (typeof maximum === 'number' && value > maximum) this.#add(place, `must be at most ${maximum}`);
    if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
      this.#add(place, `must be greater than ${exclusiveMinimum}`);
    if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
      this.#add(place, `must be less than ${exclusiveMaximum}`);
    // Fractions such as 0.01 have no exact remainder.
    if (
      typeof multipleOf === 'number' &&
      Number.isInteger(multipleOf) &&
      multipleOf > 0 &&
      value % multipleOf !== 0
    )
      this.#add(place, `must be a multiple of ${multipleOf}`);
  }

  #compareItems(value: readonly unknown[], schema: JsonObject, place: string): void {
    this.#compareSize(value.length, schema, { place, ...itemKeywords });
    const { items, prefixItems } = schema;
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    for (const [index, item] of value.entries()) {
      if (this.#isDone()) return;
      const inner = index < first.length ? first[index] : items;
      if (inner !== undefined) this.compare(item, inner, `${place}[${index}]`);
    }
  }

  #compareFields(value: JsonObject, schema: JsonObject, place: string): void {
    const fields = Object.keys(value);
    this.#compareSize(fields.length, schema, { place, ...fieldKeywords });
    const { required, additionalProperties } = schema;
    const properties = isJsonObject(schema.properties) ? schema.properties : {};
    for (const name of Array.isArray(required) ? required : [])
      if (!Object.hasOwn(value, name)) this.#add(placeOf(place, String(name)), 'is missing');
    for (const name of fields) {
      if (this.#isDone()) return;
      const inner = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      if (inner === false && !Object.hasOwn(properties, name)) {
        const nearest = nearestName(name.slice(0, 100), Object.keys(properties));
        this.#add(
          placeOf(place, name),
          nearest === undefined ? 'is unknown' : `is unknown; did you mean "${nearest}"?`,
        );
      } else if (inner !== undefined) this.compare(value[name], inner, placeOf(place, name));
    }
  }

  #compareAlternatives(value: unknown, alternatives: readonly unknown[], place: string): void {
    const before = this.faults.length;
    let fewest: readonly string[] | undefined;
    for (const alternative of alternatives) {
      if (this.#steps > limits.checkStepsMax) return void this.faults.splice(before);
      this.compare(value, alternative, place);
      const found = this.faults.splice(before);
      if (found.length === 0) return;
      if (fewest === undefined || found.length < fewest.length) fewest = found;
    }
    if (fewest !== undefined) this.faults.push(...fewest);
  }

  #compareSize(size: number, schema: JsonObject, { place, least, most, unit }: SizeKeywords): void {
    const { [least]: minimum, [most]: maximum } = schema;
    if (typeof minimum === 'number' && size < minimum)
      this.#add(place, `must have at least ${minimum} ${unit}`);
    if (typeof maximum === 'number' && size > maximum)
      this.#add(place, `must have at most ${maximum} ${unit}`);
  }

  #isDone(): boolean {
    return this.faults.length >= limits.argumentFaultsMax || this.#steps > limits.checkStepsMax;
  }

  #add(place: string, fault: string): void {
    if (this.faults.length < limits.argumentFaultsMax)
      this.faults.push(place === '' ? fault : `"${place.slice(0, 200)}" ${fault}`);
  }
}

interface SizeKeywords {
  readonly place: string;
  readonly least: string;
  readonly most: string;
  readonly unit: string;
}

const lengthKeywords = { least: 'minLength', most: 'maxLength', unit: 'characters' };
const itemKeywords = { least: 'minItems', most: 'maxItems', unit: 'items' };
const fieldKeywords = { least: 'minProperties', most: 'maxProperties', unit: 'fields' };

function placeOf(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

function hasType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => hasType(value, one));
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isJsonObject(value) : typeof value === type;
}

function typeText(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).map((name) => typeWords.get(name) ?? String(name));
  return names.join(' or ');
}

const typeWords = new Map<unknown, string>([
  ['integer', 'an integer'],
  ['number', 'a number'],
  ['string', 'a string'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
]);
