// Writes the types of the HTTP API for the dashboard, from the description that a gateway gives of itself; --check only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../src/lib/json.ts';
import { listOf, objectOf, openapiPaths } from './docs/openapi-paths.ts';

const file = join(import.meta.dirname, '..', 'web', 'api', 'schema.ts');

const text = typesOf({ ...(await openapiPaths('local')), ...(await openapiPaths('cloud')) });

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('web/api/schema.ts is out of date: npm run web:types');
  process.exitCode = 1;
}

/** In the shape that openapi-fetch reads. */
function typesOf(paths: JsonObject): string {
  const entries = Object.entries(paths).map(([path, methods]) => {
    const operations = Object.entries(objectOf(methods)).map(
      ([method, operation]) => `    ${method}: ${operationOf(objectOf(operation))};`,
    );
    return `  ${JSON.stringify(path)}: {\n${operations.join('\n')}\n  };`;
  });
  return `// Made by scripts/web-types.ts from /openapi.json.\nexport interface paths {\n${entries.join('\n')}\n}\n`;
}

function operationOf({ parameters, requestBody, responses }: JsonObject): string {
  const all = listOf(parameters).map(objectOf);
  const of = (place: string) => all.filter((one) => one.in === place);
  const body = schemaIn(requestBody);
  const answers = Object.entries(objectOf(responses)).map(([status, answer]) => {
    const schema = schemaIn(answer);
    const content =
      schema === undefined ? 'content?: never' : `content: { 'application/json': ${typeOf(schema)} }`;
    return `${status}: { headers: { [name: string]: unknown }; ${content} }`;
  });
  return [
    `{ parameters: { query${parametersOf(of('query'))}; path${parametersOf(of('path'))}; header?: never; cookie?: never }`,
    body === undefined
      ? 'requestBody?: never'
      : `requestBody: { content: { 'application/json': ${typeOf(body)} } }`,
    `responses: { ${answers.join('; ')} } }`,
  ].join('; ');
}

function parametersOf(parameters: readonly JsonObject[]): string {
  if (parameters.length === 0) return '?: never';
  const required = parameters.some((one) => one.required === true);
  const fields = parameters.map(
    ({ name, required: must, schema }) =>
      `${JSON.stringify(name)}${must === true ? '' : '?'}: ${typeOf(objectOf(schema))}`,
  );
  return `${required ? '' : '?'}: { ${fields.join('; ')} }`;
}

function schemaIn(holder: unknown): JsonObject | undefined {
  const { schema } = objectOf(objectOf(objectOf(holder).content)['application/json']);
  return schema === undefined ? undefined : objectOf(schema);
}

function typeOf(schema: JsonObject): string {
  const { type, anyOf, const: only, enum: values, items } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(objectOf(one))).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `(${typeOf(objectOf(items))})[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({ properties, required, additionalProperties }: JsonObject): string {
  const must = new Set(listOf(required));
  const fields = Object.entries(objectOf(properties)).map(
    ([name, schema]) => `${JSON.stringify(name)}${must.has(name) ? '' : '?'}: ${typeOf(objectOf(schema))}`,
  );
  if (isJsonObject(additionalProperties))
    return fields.length === 0
      ? `Record<string, ${typeOf(additionalProperties)}>`
      : `{ ${fields.join('; ')}; [more: string]: unknown }`;
  return fields.length === 0 ? 'Record<string, unknown>' : `{ ${fields.join('; ')} }`;
}
