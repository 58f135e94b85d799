import type { Tool, ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { losslessForeignTool } from '../foreign.ts';
import { objectOf, objectsOf, omitUndefined, stringOf } from '../json-values.ts';
import { attachOriginals } from '../originals.ts';

/** Functions are tools of the client; all others run at Google. */
export function decodeTools({ tools }: JsonObject): readonly Tool[] | undefined {
  return Array.isArray(tools) ? objectsOf(tools).map(decodeTool) : undefined;
}

function decodeTool(tool: JsonObject): Tool {
  const name = stringOf(tool.name);
  if (tool.type !== 'function' || name === undefined) return losslessForeignTool('gemini-interactions', tool);
  const input_schema = objectOf(tool.parameters) ?? { type: 'object', properties: {} };
  return attachOriginals(omitUndefined({ name, description: stringOf(tool.description), input_schema }), [
    tool,
  ]);
}

/** Which functions may or must be called: a mode, or a mode with a list of names. */
export function decodeChoice(config: JsonObject, extensionFields: ExtensionFields): ToolChoice | undefined {
  const choice = config.tool_choice;
  const allowed = objectOf(objectOf(choice)?.allowed_tools);
  const names = Array.isArray(allowed?.tools) ? allowed.tools.filter((name) => typeof name === 'string') : [];
  const [only, another] = names;
  const mode = (stringOf(choice) ?? stringOf(allowed?.mode))?.toLowerCase();
  if (mode === 'any' && only !== undefined && another === undefined) return { type: 'tool', name: only };
  if (names.length > 0) extensionFields.optional['generation_config.tool_choice.allowed_tools'] = names;
  switch (mode) {
    case 'any':
      return { type: 'any' };
    case 'none':
      return { type: 'none' };
    case 'auto':
    case 'validated':
      return { type: 'auto' };
    default:
      return undefined;
  }
}
