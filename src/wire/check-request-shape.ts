import type { ChatRequest } from '../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { checkBlocks } from './check-blocks.ts';
import { invalidRequestError } from './check-messages.ts';

/** Checks the types of what translation reads, since the client's own provider can't validate them. */
export function checkRequestShape(request: ChatRequest): void {
  const fields: JsonObject = { ...request };
  for (const [field, fieldType] of Object.entries(fieldTypes)) checkType(fields[field], field, fieldType);
  const { output_config: config, tools } = request;
  if (config != null) {
    checkType(config.effort, 'output_config.effort', 'string');
    checkType(config.format, 'output_config.format', 'object');
  }
  for (const [at, tool] of (tools ?? []).entries()) checkTool(tool, `tools.${at}`);
  for (const [at, { role }] of request.messages.entries())
    if (!roles.has(role))
      throw invalidRequestError(`messages.${at}.role`, 'must be user, assistant or system');
  checkBlocks(request);
}

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

function checkTool(tool: unknown, path: string): void {
  if (!isJsonObject(tool)) throw invalidRequestError(path, 'must be an object');
  checkType(tool.type, `${path}.type`, 'string');
  checkType(tool.description, `${path}.description`, 'string');
  checkType(tool.input_schema, `${path}.input_schema`, 'object');
  // A toolset of the provider has no name.
  const hasName = typeof tool.name === 'string' || (tool.name === undefined && isProviderTool(tool.type));
  if (!hasName) throw invalidRequestError(`${path}.name`, `must be ${typeLabels.string}`);
}

function isProviderTool(type: unknown): boolean {
  return typeof type === 'string' && type !== 'custom';
}

type FieldType = 'string' | 'number' | 'boolean' | 'object' | 'list';

const fieldTypes: Readonly<Record<string, FieldType>> = {
  stream: 'boolean',
  temperature: 'number',
  top_p: 'number',
  top_k: 'number',
  stop_sequences: 'list',
  metadata: 'object',
  thinking: 'object',
  tool_choice: 'object',
  output_config: 'object',
  extensions: 'object',
  tools: 'list',
};

/** Absent and null values are valid. */
function checkType(value: unknown, path: string, fieldType: FieldType): void {
  if (value === undefined || value === null || isOfType(value, fieldType)) return;
  throw invalidRequestError(path, `must be ${typeLabels[fieldType]}`);
}

function isOfType(value: unknown, fieldType: FieldType): boolean {
  if (fieldType === 'list') return Array.isArray(value);
  return fieldType === 'object' ? isJsonObject(value) : typeof value === fieldType;
}

const typeLabels: Readonly<Record<FieldType, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
};
