import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import type { ChatRequest } from '../kernel/message.ts';
import { checkBlocks } from './check-blocks.ts';
import { refuse } from './check-messages.ts';

/** A translator reads what a provider would otherwise have judged: what it reads must be of the right type. */
export function checkTranslatable(request: ChatRequest): void {
  const fields: JsonObject = { ...request };
  for (const [field, kind] of Object.entries(kinds)) check(fields[field], field, kind);
  const { output_config: config, tools } = request;
  if (config != null) {
    check(config.effort, 'output_config.effort', 'string');
    check(config.format, 'output_config.format', 'object');
  }
  for (const [at, tool] of (tools ?? []).entries()) checkTool(tool, `tools.${at}`);
  for (const [at, { role }] of request.messages.entries())
    if (!roles.has(role)) throw refuse(`messages.${at}.role`, 'must be user, assistant or system');
  checkBlocks(request);
}

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

function checkTool(tool: unknown, place: string): void {
  if (!isJsonObject(tool)) throw refuse(place, 'must be an object');
  check(tool.type, `${place}.type`, 'string');
  check(tool.description, `${place}.description`, 'string');
  check(tool.input_schema, `${place}.input_schema`, 'object');
  if (typeof tool.name !== 'string') throw refuse(`${place}.name`, `must be ${articles.string}`);
}

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'list';

const kinds: Readonly<Record<string, Kind>> = {
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

/** What is absent or null is not asked for. */
function check(value: unknown, place: string, kind: Kind): void {
  if (value === undefined || value === null || isOf(value, kind)) return;
  throw refuse(place, `must be ${articles[kind]}`);
}

function isOf(value: unknown, kind: Kind): boolean {
  if (kind === 'list') return Array.isArray(value);
  return kind === 'object' ? isJsonObject(value) : typeof value === kind;
}

const articles: Readonly<Record<Kind, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
};
