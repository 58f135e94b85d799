import type { ChatRequest, OutputConfig, OutputFormat } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { checkMessages, checkModel, checkTokenLimit } from '../check-messages.ts';
import { collectExtensionFields, type ExtensionFields } from '../extension-fields.ts';
import { toExtensions } from '../foreign.ts';
import { booleanOf, numberOf, objectOf, omitUndefined, stringOf } from '../json-values.ts';
import { decodeMessages, decodeSystem, leadingInstructions } from './decode-messages.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';

export function decodeRequest(body: JsonObject): ChatRequest {
  const model = checkModel(body);
  const messages = checkMessages(body);
  checkTokenLimit(body, 'max_tokens');
  checkTokenLimit(body, 'max_completion_tokens');
  const extensionFields = decodeExtensionFields(body);
  const instructions = leadingInstructions(messages);
  const user = stringOf(body.safety_identifier) ?? stringOf(body.user);
  return omitUndefined({
    model,
    system: decodeSystem(messages.slice(0, instructions), extensionFields),
    messages: decodeMessages(messages.slice(instructions), extensionFields),
    max_tokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    stream: booleanOf(body.stream),
    tools: decodeTools(body.tools),
    tool_choice: decodeToolChoice(body.tool_choice, body.parallel_tool_calls),
    temperature: numberOf(body.temperature),
    top_p: numberOf(body.top_p),
    top_k: numberOf(body.top_k),
    stop_sequences: stopSequencesOf(body.stop),
    metadata: user === undefined ? undefined : { user_id: user },
    output_config: outputConfigOf(body),
    extensions: toExtensions('openai-chat', extensionFields),
  });
}

function stopSequencesOf(stop: unknown): readonly string[] | undefined {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) ? stop.filter((item) => typeof item === 'string') : undefined;
}

function outputConfigOf(body: JsonObject): OutputConfig | undefined {
  const effort = stringOf(body.reasoning_effort);
  const format = formatOf(objectOf(body.response_format));
  return effort === undefined && format === undefined ? undefined : omitUndefined({ effort, format });
}

function formatOf(format: JsonObject | undefined): OutputFormat | undefined {
  if (format?.type === 'json_object') return { type: 'json_object' };
  const described = objectOf(format?.json_schema);
  if (format?.type !== 'json_schema' || described === undefined) return undefined;
  return omitUndefined({
    type: 'json_schema',
    schema: objectOf(described.schema) ?? {},
    name: stringOf(described.name),
    description: stringOf(described.description),
    strict: booleanOf(described.strict),
  });
}

function decodeExtensionFields(body: JsonObject): ExtensionFields {
  const extensionFields = collectExtensionFields(body, { isEssential, translated: translatedFields });
  if (objectOf(objectOf(body.tool_choice)?.allowed_tools) !== undefined)
    extensionFields.optional.tool_choice = body.tool_choice;
  if (body.safety_identifier != null && body.user != null) extensionFields.optional.user = body.user;
  return extensionFields;
}

function isEssential(field: string, value: unknown): boolean {
  switch (field) {
    case 'n':
      return value !== 1;
    case 'logprobs':
      return value === true;
    case 'top_logprobs':
      return value !== 0;
    case 'modalities':
      return Array.isArray(value) && value.some((modality) => modality !== 'text');
    case 'audio':
    case 'functions':
    case 'function_call':
      return true;
    default:
      return false;
  }
}

const translatedFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'user',
  'safety_identifier',
  'reasoning_effort',
  'response_format',
  'n',
  'logprobs',
  'top_logprobs',
  'modalities',
]);
