import type { Tool } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/** Tools as OpenAI's models read them: TypeScript declarations, which omit most of the schema. */
export function declarationsOf(tools: readonly Tool[]): string {
  const declared = tools.map(
    (tool) => `${commentOf(tool)}type ${tool.name} = ${signatureOf(tool)} => any;\n\n`,
  );
  return `namespace functions {\n\n${declared.join('')}} // namespace functions`;
}

function signatureOf({ input_schema: schema }: Tool): string {
  const properties = isJsonObject(schema) ? propertiesOf(schema) : '';
  return properties === '' ? '()' : `(_: {\n${properties}\n})`;
}

function propertiesOf(schema: JsonObject): string {
  if (!isJsonObject(schema.properties)) return '';
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties)
    .map(([name, property]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${commentOf(property)}${name}${mark}: ${typeOf(property)},`;
    })
    .join('\n');
}

function commentOf(described: unknown): string {
  if (!isJsonObject(described) || typeof described.description !== 'string') return '';
  return described.description === '' ? '' : `// ${described.description}\n`;
}

function typeOf(schema: unknown): string {
  if (!isJsonObject(schema)) return 'any';
  const { type } = schema;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return choices.map(typeOf).join(' | ');
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
      return `${typeOf(schema.items)}[]`;
    case 'object': {
      const properties = propertiesOf(schema);
      return properties === '' ? 'object' : `{\n${properties}\n}`;
    }
    default:
      return 'any';
  }
}
