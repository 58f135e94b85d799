import { isJsonObject, type JsonObject } from '../../module-api.ts';

/** Values of arguments that are looked at: what is behind them counts as right. */
const stepsMax = 10_000;
/** More is not told to the model. */
const wrongMost = 5;
/** Of values that are listed in a schema. */
const listedCharactersMax = 500;
/** Nobody's arguments are nested deeper; schemas may refer to themselves without end. */
const depthMax = 50;
/** Schemas that refer to each other. */
const refsMax = 10;

interface Part {
  readonly value: unknown;
  readonly schema: unknown;
  readonly path: string;
}

interface Checking {
  /** What references are of. */
  readonly root: unknown;
  stepsLeft: number;
  depth: number;
}

/** What is wrong with the arguments of a call, by the schema of its tool: what can be told without any doubt. Empty where nothing is. */
export function wrongArguments(value: unknown, schema: unknown): readonly string[] {
  return wrongIn({ value, schema, path: 'arguments' }, { root: schema, stepsLeft: stepsMax, depth: 0 });
}

function wrongIn(part: Part, checking: Checking): readonly string[] {
  const { value, path } = part;
  const schema = resolved(part.schema, checking.root);
  if (!isJsonObject(schema) || checking.stepsLeft-- <= 0 || checking.depth >= depthMax) return [];
  if (value === null && schema.nullable === true) return [];
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return [`${path} must be ${types.join(' or ')}`];
  const listed = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(listed) && !listed.some((one) => isSame(one, value)))
    return [`${path} must be one of ${JSON.stringify(listed).slice(0, listedCharactersMax)}`];
  checking.depth++;
  const wrong = first([
    () => wrongInAll(part, schema, checking),
    () => wrongInAny(part, schema, checking),
    () => wrongInside(part, schema, checking),
  ]);
  checking.depth--;
  return wrong;
}

function wrongInAll({ value, path }: Part, { allOf }: JsonObject, checking: Checking): readonly string[] {
  if (!Array.isArray(allOf)) return [];
  return first(allOf.map((schema) => () => wrongIn({ value, schema, path }, checking)));
}

/** Whether exactly one of `oneOf` fits is left to the client. */
function wrongInAny({ value, path }: Part, schema: JsonObject, checking: Checking): readonly string[] {
  const ways = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(ways) || ways.length === 0) return [];
  let closest: readonly string[] | undefined;
  for (const way of ways) {
    const wrong = wrongIn({ value, schema: way, path }, checking);
    if (wrong.length === 0) return [];
    closest ??= wrong;
  }
  return ways.length === 1 ? (closest ?? []) : [`${path} fits none of ${ways.length} ways to write it`];
}

function wrongInside(part: Part, schema: JsonObject, checking: Checking): readonly string[] {
  const { value, path } = part;
  if (Array.isArray(value))
    return first(
      value.map(
        (item, at) => () => wrongIn({ value: item, schema: schema.items, path: `${path}[${at}]` }, checking),
      ),
    );
  return isJsonObject(value) && !isNumber(value) ? wrongFields(value, { schema, path }, checking) : [];
}

function wrongFields(
  value: JsonObject,
  { schema, path }: { readonly schema: JsonObject; readonly path: string },
  checking: Checking,
): readonly string[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required
    .filter((name) => typeof name === 'string' && !Object.hasOwn(value, name))
    .map((name) => `${path}.${name} is missing`);
  const inside = Object.entries(value).map(([name, inner]) => () => {
    if (Object.hasOwn(properties, name))
      return wrongIn({ value: inner, schema: properties[name], path: `${path}.${name}` }, checking);
    return isClosed ? [`there is no ${path}.${name}`] : [];
  });
  return first([() => missing, ...inside]);
}

/** The first few that are found. */
function first(checks: readonly (() => readonly string[])[]): readonly string[] {
  const wrong: string[] = [];
  for (const check of checks) {
    if (wrong.length >= wrongMost) break;
    wrong.push(...check().slice(0, wrongMost - wrong.length));
  }
  return wrong;
}

/** A reference within the schema; of others nobody knows what they say. */
function resolved(schema: unknown, root: unknown): unknown {
  let found = schema;
  for (let count = 0; isJsonObject(found) && found.$ref !== undefined; count++) {
    const { $ref } = found;
    if (count === refsMax || typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined;
    found = $ref
      .slice(1)
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((inner: unknown, step) => memberOf(inner, step), root);
  }
  return found;
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null) return one === other;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Those of many digits are kept as they were written. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || JSON.isRawJSON(value);
}

/** A type that nobody knows fits everything. */
function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value) && !isNumber(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return isNumber(value) && (typeof value !== 'number' || Number.isInteger(value));
    case 'number':
      return isNumber(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'null':
      return value === null;
    default:
      return true;
  }
}
