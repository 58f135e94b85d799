import type { JsonObject } from '../../kernel/json.ts';
import type { Tool, ToolChoice } from '../../kernel/message.ts';
import { carriedTool } from '../foreign.ts';
import type { Losses } from '../losses.ts';
import { remember } from '../openai/origin.ts';
import { defined, objectOf, stringOf } from '../read.ts';
import { camelOf, field, listIn } from './fields.ts';
import { jsonSchemaOf } from './schema.ts';

/** Each declared function is a tool, and so is each tool of the provider's, of which one object may hold several. */
export function decodeTools(body: JsonObject): readonly Tool[] | undefined {
  if (field(body, 'tools') === undefined) return undefined;
  const tools = listIn(body, 'tools').flatMap((tool) => [
    ...listIn(tool, 'functionDeclarations').flatMap(decodeFunction),
    ...Object.entries(tool)
      .filter(([name, value]) => value != null && camelOf(name) !== 'functionDeclarations')
      .map(([name, value]) => carriedTool('gemini', { [name]: value }, camelOf(name))),
  ]);
  return tools.length === 0 ? undefined : tools;
}

function decodeFunction(declared: JsonObject): readonly Tool[] {
  const name = stringOf(declared.name);
  if (name === undefined) return [];
  const written = objectOf(field(declared, 'parametersJsonSchema'));
  const parameters = objectOf(declared.parameters);
  const input_schema =
    written ?? (parameters === undefined ? { type: 'object', properties: {} } : jsonSchemaOf(parameters));
  return [remember(defined({ name, description: stringOf(declared.description), input_schema }), [declared])];
}

/** Which functions may or must be called. */
export function decodeChoice(body: JsonObject, losses: Losses): ToolChoice | undefined {
  const { functionCallingConfig, ...rest } = camelFields(objectOf(field(body, 'toolConfig')) ?? {});
  for (const name of Object.keys(rest)) losses.optional[`toolConfig.${name}`] = rest[name];
  const config = objectOf(functionCallingConfig) ?? {};
  const allowed = field(config, 'allowedFunctionNames');
  const names = Array.isArray(allowed) ? allowed.filter((name) => typeof name === 'string') : [];
  switch (stringOf(config.mode)?.toUpperCase()) {
    case 'ANY': {
      const [only, another] = names;
      if (only !== undefined && another === undefined) return { type: 'tool', name: only };
      if (another !== undefined) losses.optional['toolConfig.allowedFunctionNames'] = names;
      return { type: 'any' };
    }
    case 'NONE':
      return { type: 'none' };
    case 'AUTO':
    case 'VALIDATED':
      if (names.length > 0) losses.optional['toolConfig.allowedFunctionNames'] = names;
      return { type: 'auto' };
    default:
      return undefined;
  }
}

function camelFields(object: JsonObject): JsonObject {
  const entries = Object.entries(object).filter(([, value]) => value != null);
  return Object.fromEntries(entries.map(([name, value]) => [camelOf(name), value]));
}
