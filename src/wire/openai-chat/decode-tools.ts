import type { FieldReader } from '../../kernel/json/lazy-json-object.ts';
import type { Tool, ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignTool } from '../foreign.ts';
import { booleanOf, objectOf, objectsOf, omitUndefined, stringOf } from '../json-values.ts';
import { freeTextDescription, freeTextSchema } from '../openai/free-text.ts';
import { attachOriginals } from '../originals.ts';
import { cacheControlOf } from './decode-parts.ts';

export function decodeTools(tools: unknown): readonly Tool[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  return objectsOf(tools).map((tool) => attachOriginals(decodeTool(tool), [tool]));
}

function decodeTool(tool: JsonObject): Tool {
  const free = objectOf(tool.custom);
  const freeName = stringOf(free?.name);
  if (free !== undefined && freeName !== undefined)
    return omitUndefined({
      name: freeName,
      description: freeTextDescription(free),
      input_schema: freeTextSchema,
    });
  const described = objectOf(tool.function);
  const name = stringOf(described?.name);
  if (described === undefined || name === undefined) return foreignTool('openai-chat', tool);
  return omitUndefined({
    name,
    description: stringOf(described.description),
    input_schema: objectOf(described.parameters) ?? { type: 'object', properties: {} },
    strict: booleanOf(described.strict),
    cache_control: cacheControlOf(tool) ?? cacheControlOf(described),
  });
}

/** The request's free-text tools, whose calls have their own type. */
export function freeTextTools(fieldReader: FieldReader): ReadonlySet<string> {
  return new Set(
    objectsOf(fieldReader.get('tools')).flatMap((tool) => stringOf(objectOf(tool.custom)?.name) ?? []),
  );
}

/** Which tools may or must be called, and whether several at once. */
export function decodeToolChoice(choice: unknown, parallel: unknown): ToolChoice | undefined {
  const one = parallel === false ? { disable_parallel_tool_use: true } : {};
  const mode = stringOf(choice) ?? stringOf(objectOf(objectOf(choice)?.allowed_tools)?.mode);
  if (mode === 'none') return { type: 'none' };
  if (mode === 'required' || mode === 'any') return { type: 'any', ...one };
  const chosen = objectOf(choice);
  const name = stringOf(objectOf(chosen?.function ?? chosen?.custom)?.name);
  if (name !== undefined) return { type: 'tool', name, ...one };
  return mode === 'auto' || parallel === false ? { type: 'auto', ...one } : undefined;
}
