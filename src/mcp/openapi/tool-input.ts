import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { InputSchemas, SchemaTooLarge } from './input-schema.ts';
import { limits } from './limits.ts';
import { OperationFault } from './operation-fault.ts';
import type { Parameter } from './parameters.ts';
import type { References } from './references.ts';
import type { BodyPlan } from './request-body.ts';

export interface ToolInput {
  readonly schema: JsonObject;
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly body: { readonly argument: string; readonly plan: BodyPlan } | undefined;
}

/** One schema of all arguments: a field for each parameter, and one for the body. */
export function describeInput(
  parameters: readonly Parameter[],
  plan: BodyPlan | undefined,
  references: References,
): ToolInput {
  const named = nameArguments(parameters);
  const body = plan && { argument: freeName('body', named), plan };
  for (const depthMax of depths) {
    const schema = inputSchema(named, body, new InputSchemas(references, { depthMax }));
    if (schema !== undefined && JSON.stringify(schema).length <= limits.schemaCharactersMax)
      return { schema, parameters: named, body };
  }
  throw new OperationFault(
    `the schema of its arguments has more than ${limits.schemaCharactersMax} characters`,
  );
}

/** A schema that is too large is made shallower. */
const depths = [12, 4, 3, 2, 1, 0];

/** The name in the API, or one that model providers accept; with the place of the parameter where two have the same. */
function nameArguments(parameters: readonly Parameter[]): ReadonlyMap<string, Parameter> {
  const named = new Map<string, Parameter>();
  for (const parameter of parameters) {
    const plain = argumentName(parameter.name);
    named.set(
      freeName(named.has(plain) ? argumentName(`${plain}_${parameter.place}`) : plain, named),
      parameter,
    );
  }
  return named;
}

function argumentName(name: string): string {
  const parts = name.split(/[^\w.-]/).filter((part) => part !== '');
  return parts.join('_').slice(0, limits.argumentNameMax - suffixMax) || 'value';
}

/** Room for a number that makes a name unique. */
const suffixMax = 6;

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}_${number}`;
  return free;
}

function inputSchema(
  parameters: ReadonlyMap<string, Parameter>,
  body: ToolInput['body'],
  schemas: InputSchemas,
): JsonObject | undefined {
  try {
    const fields: [string, unknown][] = [];
    const required: string[] = [];
    for (const [argument, parameter] of parameters) {
      fields.push([argument, describe(schemas.convert(parameter.schema ?? {}), parameter.description)]);
      if (parameter.isRequired) required.push(argument);
    }
    if (body !== undefined) {
      fields.push([body.argument, describe(bodySchema(body.plan, schemas), body.plan.description)]);
      if (body.plan.isRequired) required.push(body.argument);
    }
    const definitions = schemas.definitions();
    return {
      type: 'object',
      properties: Object.fromEntries(fields),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    };
  } catch (error) {
    if (error instanceof SchemaTooLarge) return undefined;
    throw error;
  }
}

function bodySchema({ kind, schema, fields }: BodyPlan, schemas: InputSchemas): JsonObject | boolean {
  if (kind === 'binary') return { type: 'string', description: base64Text };
  if (kind === 'text') return { type: 'string' };
  const converted = schemas.convert(schema ?? {});
  const { properties } = isJsonObject(converted) ? converted : {};
  if (kind !== 'multipart' || !isJsonObject(converted) || !isJsonObject(properties)) return converted;
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    fields.get(name)?.isBinary === true
      ? describe(isJsonObject(property) ? property : {}, base64Text)
      : property,
  ]);
  return { ...converted, properties: Object.fromEntries(described) };
}

const base64Text = 'The content of the file as Base64.';

/** The description of a parameter says more than that of its schema. */
function describe(schema: JsonObject | boolean, description: string | undefined): JsonObject | boolean {
  if (typeof schema === 'boolean' || description === undefined) return schema;
  const { description: own, ...rest } = schema;
  const texts = [description, own].filter(
    (text, index, all) => typeof text === 'string' && all.indexOf(text) === index,
  );
  return { ...rest, description: texts.join('\n').slice(0, limits.descriptionCharactersMax) };
}
