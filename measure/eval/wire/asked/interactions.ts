import type { JsonObject } from '../../../../src/lib/json.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../../src/wire/json-values.ts';
import {
  type Media,
  type RequestOutline,
  type Settings,
  type ToolDeclaration,
  type Turn,
  Turns,
  textInside,
  unread,
} from './asked.ts';

/** Gemini Interactions, by the plainest code there is. */
export function askedInInteractions(body: JsonObject): RequestOutline {
  const config = objectOf(body.generation_config) ?? {};
  const others = [...unread(body, bodyFields), ...unread(config, configFields, 'generation_config.')];
  const turns = new Turns();
  for (const step of stepsOf(body.input)) readStep(step, turns, others);
  return {
    system: typeof body.system_instruction === 'string' ? [body.system_instruction] : [],
    turns: turns.said(),
    tools: toolsOf(body, others),
    settings: settingsOf(body, config),
    others,
    cached: false,
    userFirst: 'before calls',
  };
}

export const bodyFields: ReadonlySet<string> = new Set([
  ...['model', 'input', 'system_instruction', 'stream', 'store', 'tools', 'response_format'],
  'generation_config',
]);
export const configFields: ReadonlySet<string> = new Set([
  ...['max_output_tokens', 'temperature', 'top_p', 'stop_sequences', 'tool_choice'],
  ...['thinking_level', 'thinking_summaries'],
]);

export function stepsOf(input: unknown): readonly JsonObject[] {
  return typeof input === 'string'
    ? [{ type: 'user_input', content: [{ type: 'text', text: input }] }]
    : objectsOf(input);
}

function readStep(step: JsonObject, turns: Turns, others: string[]): void {
  switch (step.type) {
    case 'user_input':
      for (const part of objectsOf(step.content)) readPart(part, turns.of('user'), others);
      return;
    case 'model_output':
      for (const part of objectsOf(step.content)) readPart(part, turns.of('assistant'), others);
      return;
    case 'thought': {
      const turn = turns.of('assistant');
      turn.thoughts.push(...objectsOf(step.summary).map(({ text }) => String(text)));
      turn.secrets.push(...[step.signature].flatMap((signature) => stringOf(signature) ?? []));
      return;
    }
    case 'function_call':
      turns
        .of('assistant')
        .calls.push({ id: String(step.id), name: String(step.name), input: step.arguments });
      return;
    case 'function_result': {
      const turn = turns.of('user');
      const { result } = step;
      const parts = typeof result === 'string' ? [{ type: 'text', text: result }] : objectsOf(result);
      const texts = parts.flatMap((part) => (part.type === 'text' ? [String(part.text)] : []));
      turn.results.push({ id: String(step.call_id), texts, failed: step.is_error === true });
      for (const part of parts) if (part.type !== 'text') readPart(part, turn, others);
      return;
    }
    default:
      others.push(String(step.type));
  }
}

function readPart(part: JsonObject, turn: Turn, others: string[]): void {
  if (part.type === 'text') turn.texts.push(String(part.text));
  else if (part.type === 'image' || part.type === 'document') {
    const media: Media = {
      kind: part.type,
      data: stringOf(part.data) ?? stringOf(part.uri) ?? '',
      type: part.data === undefined ? '' : (stringOf(part.mime_type) ?? ''),
    };
    const text = textInside(media);
    if (text === undefined) turn.media.push(media);
    else turn.texts.push(text);
  } else others.push(String(part.type));
}

function toolsOf(body: JsonObject, others: string[]): readonly ToolDeclaration[] {
  return objectsOf(body.tools).flatMap((tool) => {
    if (tool.type !== 'function') others.push(String(tool.type));
    const schema = tool.parameters ?? { type: 'object', properties: {} };
    const description = stringOf(tool.description) ?? '';
    return tool.type === 'function' ? [{ name: String(tool.name), description, schema, strict: false }] : [];
  });
}

function settingsOf(body: JsonObject, config: JsonObject): Settings {
  const allowed = objectOf(objectOf(config.tool_choice)?.allowed_tools);
  const [name] = Array.isArray(allowed?.tools) ? allowed.tools : [];
  const mode = stringOf(config.tool_choice);
  const format = objectOf(body.response_format);
  const stops = config.stop_sequences;
  return {
    limit: numberOf(config.max_output_tokens),
    stop: Array.isArray(stops) ? stops.map(String) : [],
    temperature: numberOf(config.temperature),
    top_p: numberOf(config.top_p),
    top_k: undefined,
    choice: name === undefined ? (mode === 'any' ? 'required' : mode) : `tool:${String(name)}`,
    oneCallAtMost: false,
    thinking: config.thinking_level === undefined ? undefined : 'on',
    format: format === undefined ? undefined : (format.schema ?? 'json_object'),
    user: undefined,
  };
}
