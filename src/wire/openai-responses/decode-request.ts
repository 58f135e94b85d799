import type { ChatRequest, OutputConfig, OutputFormat } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { checkModel, checkTokenLimit, invalidRequestError } from '../check-messages.ts';
import { collectExtensionFields, type ExtensionFields } from '../extension-fields.ts';
import { toExtensions } from '../foreign.ts';
import { booleanOf, numberOf, objectOf, omitUndefined, stringOf } from '../json-values.ts';
import { dropCompactedItems } from './compaction-items.ts';
import { decodeItems, decodeSystem, leadingInstructions } from './decode-items.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { inputItemsOf } from './input-items.ts';
import { createToolNameResolver } from './namespaces.ts';

export function decodeRequest(body: JsonObject): ChatRequest {
  const model = checkModel(body);
  checkInput(body);
  checkTokenLimit(body, 'max_output_tokens');
  const extensionFields = decodeExtensionFields(body);
  const received = inputItemsOf(body);
  const instructions = leadingInstructions(received);
  const items = dropCompactedItems(received, instructions);
  const user = stringOf(body.safety_identifier) ?? stringOf(body.user);
  return omitUndefined({
    model,
    system: decodeSystem(body.instructions, items.slice(0, instructions), extensionFields),
    messages: decodeItems(items.slice(instructions), {
      extensionFields,
      toolNameOf: createToolNameResolver(body),
    }),
    max_tokens: numberOf(body.max_output_tokens),
    stream: booleanOf(body.stream),
    tools: decodeTools(body),
    tool_choice: decodeToolChoice(body.tool_choice, body.parallel_tool_calls),
    temperature: numberOf(body.temperature),
    top_p: numberOf(body.top_p),
    metadata: user === undefined ? undefined : { user_id: user },
    output_config: outputConfigOf(body),
    extensions: toExtensions('openai-responses', extensionFields),
  });
}

/** A stored prompt or an earlier response may replace the input. */
function checkInput(body: JsonObject): void {
  const { input } = body;
  if (typeof input === 'string') return;
  if (
    input === undefined &&
    (body.prompt != null || body.previous_response_id != null || body.conversation != null)
  )
    return;
  if (!Array.isArray(input)) throw invalidRequestError('input', 'a string or a list of items is required');
  for (const [at, item] of input.entries())
    if (!isJsonObject(item)) throw invalidRequestError(`input.${at}`, 'an item must be an object');
}

function outputConfigOf(body: JsonObject): OutputConfig | undefined {
  const effort = stringOf(objectOf(body.reasoning)?.effort);
  const format = formatOf(objectOf(objectOf(body.text)?.format));
  return effort === undefined && format === undefined ? undefined : omitUndefined({ effort, format });
}

function formatOf(format: JsonObject | undefined): OutputFormat | undefined {
  if (format?.type === 'json_object') return { type: 'json_object' };
  if (format?.type !== 'json_schema') return undefined;
  return omitUndefined({
    type: 'json_schema',
    schema: objectOf(format.schema) ?? {},
    name: stringOf(format.name),
    description: stringOf(format.description),
    strict: booleanOf(format.strict),
  });
}

function decodeExtensionFields(body: JsonObject): ExtensionFields {
  const extensionFields = collectExtensionFields(body, { isEssential, translated: translatedFields });
  const { optional } = extensionFields;
  const { effort: _, ...reasoning } = objectOf(body.reasoning) ?? {};
  const { format: __, ...text } = objectOf(body.text) ?? {};
  if (Object.values(reasoning).some((value) => value !== null)) optional.reasoning = reasoning;
  if (Object.values(text).some((value) => value !== null)) optional.text = text;
  if (body.safety_identifier != null && body.user != null) optional.user = body.user;
  if (choosesNonFunction(objectOf(body.tool_choice))) optional.tool_choice = body.tool_choice;
  return extensionFields;
}

function choosesNonFunction(choice: JsonObject | undefined): boolean {
  return choice !== undefined && choice.type !== 'function' && choice.type !== 'custom';
}

function isEssential(field: string, value: unknown): boolean {
  switch (field) {
    case 'previous_response_id':
    case 'conversation':
    case 'prompt':
      return true;
    case 'background':
      return value === true;
    case 'top_logprobs':
      return value !== 0;
    case 'include':
      return Array.isArray(value) && value.includes('message.output_text.logprobs');
    default:
      return false;
  }
}

const translatedFields: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'max_output_tokens',
  'stream',
  'stream_options',
  'store',
  'background',
  'include',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'temperature',
  'top_p',
  'user',
  'safety_identifier',
  'reasoning',
  'text',
]);
