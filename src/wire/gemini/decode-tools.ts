import type { Tool, ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { losslessForeignTool } from '../foreign.ts';
import { objectOf, omitUndefined, stringOf } from '../json-values.ts';
import { attachOriginals } from '../originals.ts';
import { objectListIn, readField, toCamelCase } from './fields.ts';
import { toJsonSchema } from './json-schema.ts';

/** Each function is a tool, and so is each provider tool; one object may contain several. */
export function decodeTools(body: JsonObject): readonly Tool[] | undefined {
  if (readField(body, 'tools') === undefined) return undefined;
  const tools = objectListIn(body, 'tools').flatMap((tool) => [
    ...objectListIn(tool, 'functionDeclarations').flatMap(decodeFunction),
    ...Object.entries(tool)
      .filter(([name, value]) => value != null && toCamelCase(name) !== 'functionDeclarations')
      .map(([name, value]) => losslessForeignTool('gemini', { [name]: value }, toCamelCase(name))),
  ]);
  return tools.length === 0 ? undefined : tools;
}

function decodeFunction(declared: JsonObject): readonly Tool[] {
  const name = stringOf(declared.name);
  if (name === undefined) return [];
  const written = objectOf(readField(declared, 'parametersJsonSchema'));
  const parameters = objectOf(declared.parameters);
  const input_schema =
    written ?? (parameters === undefined ? { type: 'object', properties: {} } : toJsonSchema(parameters));
  return [
    attachOriginals(omitUndefined({ name, description: stringOf(declared.description), input_schema }), [
      declared,
    ]),
  ];
}

/** Which functions may or must be called. */
export function decodeChoice(body: JsonObject, extensionFields: ExtensionFields): ToolChoice | undefined {
  const { functionCallingConfig, ...rest } = camelFields(objectOf(readField(body, 'toolConfig')) ?? {});
  for (const name of Object.keys(rest)) extensionFields.optional[`toolConfig.${name}`] = rest[name];
  const config = objectOf(functionCallingConfig) ?? {};
  const allowed = readField(config, 'allowedFunctionNames');
  const names = Array.isArray(allowed) ? allowed.filter((name) => typeof name === 'string') : [];
  switch (stringOf(config.mode)?.toUpperCase()) {
    case 'ANY': {
      const [only, another] = names;
      if (only !== undefined && another === undefined) return { type: 'tool', name: only };
      if (another !== undefined) extensionFields.optional['toolConfig.allowedFunctionNames'] = names;
      return { type: 'any' };
    }
    case 'NONE':
      return { type: 'none' };
    case 'AUTO':
    case 'VALIDATED':
      if (names.length > 0) extensionFields.optional['toolConfig.allowedFunctionNames'] = names;
      return { type: 'auto' };
    default:
      return undefined;
  }
}

function camelFields(object: JsonObject): JsonObject {
  const entries = Object.entries(object).filter(([, value]) => value != null);
  return Object.fromEntries(entries.map(([name, value]) => [toCamelCase(name), value]));
}
