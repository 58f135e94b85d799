import type { JsonObject } from '../../../../src/lib/json.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../../src/wire/json-values.ts';
import { inputOf } from '../facts.ts';
import {
  mediaAt,
  type RequestOutline,
  resultOf,
  type Settings,
  type ToolDeclaration,
  type Turn,
  Turns,
  textInside,
  unread,
} from './asked.ts';

/** OpenAI Chat Completions, by the plainest code there is. */
export function askedInChat(body: JsonObject): RequestOutline {
  const others: string[] = unread(body, readFields).filter((field) => !isUsual(field, body[field]));
  const system: string[] = [];
  const turns = new Turns();
  for (const message of objectsOf(body.messages)) {
    const instructs = message.role === 'system' || message.role === 'developer';
    others.push(...unread(message, readInMessages, 'messages[].'));
    if (instructs && !turns.begun) system.push(...partsOf(message.content).map(textOf));
    else readMessage(message, turns.of(message.role === 'assistant' ? 'assistant' : 'user'), others);
  }
  return {
    system,
    turns: turns.said(),
    tools: toolsOf(body, others),
    settings: settingsOf(body),
    others,
    cached: /"cache_control":\{/.test(JSON.stringify(body)),
  };
}

const readFields: ReadonlySet<string> = new Set([
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
]);

const readInMessages: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'tool_call_id',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'cache_control',
  'annotations',
]);

/** What says nothing that isn't so without it. */
function isUsual(field: string, value: unknown): boolean {
  if (field === 'n') return value === 1;
  return (field === 'logprobs' && value === false) || (field === 'top_logprobs' && value === 0);
}

function partsOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

function textOf(part: JsonObject): string {
  return stringOf(part.text) ?? stringOf(part.refusal) ?? '';
}

function readMessage(message: JsonObject, turn: Turn, others: string[]): void {
  const parts = partsOf(message.content);
  if (message.role === 'tool') {
    const texts = parts.flatMap((part) => (part.type === 'text' ? textOf(part) : []));
    turn.results.push(resultOf(message.tool_call_id, texts));
    for (const part of parts) if (part.type !== 'text') readPart(part, turn, others);
    return;
  }
  for (const part of parts) readPart(part, turn, others);
  if (stringOf(message.refusal)) turn.texts.push(String(message.refusal));
  const details = objectsOf(message.reasoning_details).map(
    (detail) => stringOf(detail.summary) ?? textOf(detail),
  );
  const thought = stringOf(message.reasoning_content) ?? stringOf(message.reasoning) ?? details.join('');
  if (thought) turn.thoughts.push(thought);
  for (const call of objectsOf(message.tool_calls)) {
    const called = objectOf(call.function);
    if (called === undefined) others.push(String(call.type));
    else
      turn.calls.push({ id: String(call.id), name: String(called.name), input: inputOf(called.arguments) });
  }
}

function readPart(part: JsonObject, turn: Turn, others: string[]): void {
  const file = objectOf(part.file);
  switch (part.type) {
    case 'text':
    case 'refusal':
      turn.texts.push(textOf(part));
      return;
    case 'thinking':
      turn.thoughts.push(...objectsOf(part.thinking).map(textOf));
      return;
    case 'image_url':
      turn.media.push(mediaAt('image', stringOf(objectOf(part.image_url)?.url) ?? String(part.image_url)));
      return;
    case 'document_url':
      turn.media.push(mediaAt('document', String(part.document_url)));
      return;
    case 'file': {
      const media = mediaAt('document', stringOf(file?.file_data) ?? stringOf(file?.file_id) ?? '');
      const text = textInside(media);
      if (text === undefined) turn.media.push(media);
      else turn.texts.push(stringOf(file?.filename) ?? '', text);
      return;
    }
    default:
      others.push(String(part.type));
  }
}

function toolsOf(body: JsonObject, others: string[]): readonly ToolDeclaration[] {
  return objectsOf(body.tools).flatMap((tool) => {
    const { name, description, parameters, strict } = objectOf(tool.function) ?? {};
    if (typeof name !== 'string') others.push(String(tool.type));
    return typeof name === 'string'
      ? [
          {
            name,
            description: stringOf(description) ?? '',
            schema: parameters ?? { type: 'object', properties: {} },
            strict: strict === true,
          },
        ]
      : [];
  });
}

function settingsOf(body: JsonObject): Settings {
  const { stop } = body;
  const format = objectOf(body.response_format);
  const effort = stringOf(body.reasoning_effort);
  return {
    limit: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    stop: typeof stop === 'string' ? [stop] : Array.isArray(stop) ? stop.map(String) : [],
    temperature: numberOf(body.temperature),
    top_p: numberOf(body.top_p),
    top_k: numberOf(body.top_k),
    choice: choiceOf(body.tool_choice),
    oneCallAtMost: body.parallel_tool_calls === false,
    thinking: effort === undefined ? undefined : effort === 'none' ? 'off' : 'on',
    format: format?.type === 'json_object' ? format.type : objectOf(format?.json_schema)?.schema,
    user: stringOf(body.safety_identifier) ?? stringOf(body.user),
  };
}

function choiceOf(choice: unknown): string | undefined {
  // Mistral's name of the same.
  if (choice === 'any') return 'required';
  const name = objectOf(objectOf(choice)?.function)?.name;
  return name === undefined ? stringOf(choice) : `tool:${name}`;
}
