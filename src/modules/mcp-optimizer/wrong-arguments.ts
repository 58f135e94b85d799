import { isJsonObject, type JsonObject } from '../../module-api.ts';

const depthMax = 20;

/** What is wrong with the arguments of a call, by the schema of its tool: what can be told without any doubt. Empty where nothing is. */
export function wrongArguments(
  value: unknown,
  schema: unknown,
  path = 'arguments',
  depth = 0,
): readonly string[] {
  if (!isJsonObject(schema) || depth > depthMax) return [];
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return [`${path} must be ${types.join(' or ')}`];
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => JSON.stringify(one) === JSON.stringify(value)))
    return [`${path} must be one of ${JSON.stringify(schema.enum)}`];
  if (Array.isArray(value))
    return value.flatMap((item, at) => wrongArguments(item, schema.items, `${path}[${at}]`, depth + 1));
  return isJsonObject(value) ? wrongFields(value, schema, { path, depth }) : [];
}

function wrongFields(
  value: JsonObject,
  schema: JsonObject,
  { path, depth }: { readonly path: string; readonly depth: number },
): readonly string[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const wrong = required
    .filter((name) => typeof name === 'string' && !Object.hasOwn(value, name))
    .map((name) => `${path}.${name} is missing`);
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name))
      wrong.push(...wrongArguments(inner, properties[name], `${path}.${name}`, depth + 1));
    else if (schema.additionalProperties === false) wrong.push(`there is no ${path}.${name}`);
  }
  return wrong;
}

/** A type that nobody knows fits everything. */
function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'null':
      return value === null;
    default:
      return true;
  }
}
