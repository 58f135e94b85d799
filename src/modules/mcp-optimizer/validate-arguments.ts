import { isJsonObject, type JsonObject } from '../../module-api.ts';

/** The maximum number of checked values; the rest counts as valid. */
const checkedValuesMax = 10_000;
/** The maximum number of issues reported to the model. */
const issuesMax = 5;
/** The maximum length of an enum list in an issue. */
const listedCharactersMax = 500;
/** The maximum nesting, because schemas may be recursive. */
const depthMax = 50;
/** The maximum chain of references. */
const refsMax = 10;

interface SchemaPosition {
  readonly value: unknown;
  readonly schema: unknown;
  readonly path: string;
}

interface ValidationState {
  /** The schema that references resolve in. */
  readonly root: unknown;
  stepsLeft: number;
  depth: number;
}

/** Validates the arguments of a call against its tool's schema. Reports only definite issues; empty if there are none. */
export function validateArguments(value: unknown, schema: unknown): readonly string[] {
  return validateValue(
    { value, schema, path: 'arguments' },
    { root: schema, stepsLeft: checkedValuesMax, depth: 0 },
  );
}

function validateValue(schemaPosition: SchemaPosition, validationState: ValidationState): readonly string[] {
  const { value, path } = schemaPosition;
  const schema = resolveReference(schemaPosition.schema, validationState.root);
  if (!isJsonObject(schema) || validationState.stepsLeft-- <= 0 || validationState.depth >= depthMax)
    return [];
  if (value === null && schema.nullable === true) return [];
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return [`${path} must be ${types.join(' or ')}`];
  const listed = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(listed) && !listed.some((one) => isDeepEqual(one, value)))
    return [`${path} must be one of ${JSON.stringify(listed).slice(0, listedCharactersMax)}`];
  validationState.depth++;
  const wrong = collectIssues([
    () => validateAllOf(schemaPosition, schema, validationState),
    () => validateAnyOf(schemaPosition, schema, validationState),
    () => validateChildren(schemaPosition, schema, validationState),
  ]);
  validationState.depth--;
  return wrong;
}

function validateAllOf(
  { value, path }: SchemaPosition,
  { allOf }: JsonObject,
  validationState: ValidationState,
): readonly string[] {
  if (!Array.isArray(allOf)) return [];
  return collectIssues(allOf.map((schema) => () => validateValue({ value, schema, path }, validationState)));
}

/** Treats `oneOf` like `anyOf`: the client checks that exactly one matches. */
function validateAnyOf(
  { value, path }: SchemaPosition,
  schema: JsonObject,
  validationState: ValidationState,
): readonly string[] {
  const ways = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(ways) || ways.length === 0) return [];
  let closest: readonly string[] | undefined;
  for (const way of ways) {
    const wrong = validateValue({ value, schema: way, path }, validationState);
    if (wrong.length === 0) return [];
    closest ??= wrong;
  }
  return ways.length === 1 ? (closest ?? []) : [`${path} fits none of ${ways.length} ways to write it`];
}

function validateChildren(
  schemaPosition: SchemaPosition,
  schema: JsonObject,
  validationState: ValidationState,
): readonly string[] {
  const { value, path } = schemaPosition;
  if (Array.isArray(value))
    return collectIssues(
      value.map(
        (item, at) => () =>
          validateValue({ value: item, schema: schema.items, path: `${path}[${at}]` }, validationState),
      ),
    );
  return isJsonObject(value) && !isNumber(value)
    ? validateProperties(value, { schema, path }, validationState)
    : [];
}

function validateProperties(
  value: JsonObject,
  { schema, path }: { readonly schema: JsonObject; readonly path: string },
  validationState: ValidationState,
): readonly string[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required
    .filter((name) => typeof name === 'string' && !Object.hasOwn(value, name))
    .map((name) => `${path}.${name} is missing`);
  const inside = Object.entries(value).map(([name, inner]) => () => {
    if (Object.hasOwn(properties, name))
      return validateValue(
        { value: inner, schema: properties[name], path: `${path}.${name}` },
        validationState,
      );
    return isClosed ? [`there is no ${path}.${name}`] : [];
  });
  return collectIssues([() => missing, ...inside]);
}

function collectIssues(checks: readonly (() => readonly string[])[]): readonly string[] {
  const wrong: string[] = [];
  for (const check of checks) {
    if (wrong.length >= issuesMax) break;
    wrong.push(...check().slice(0, issuesMax - wrong.length));
  }
  return wrong;
}

/** Resolves a reference within the schema; external ones accept anything. */
function resolveReference(schema: unknown, root: unknown): unknown {
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

function isDeepEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null) return one === other;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Numbers with many digits are kept as written, not as JavaScript numbers. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || JSON.isRawJSON(value);
}

/** An unknown type accepts anything. */
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
