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

/** OpenAI Responses, by the plainest code there is. */
export function askedInResponses(body: JsonObject): RequestOutline {
  const others: string[] = unread(body, readFields).filter((field) => body[field] !== false);
  const system = typeof body.instructions === 'string' ? [body.instructions] : [];
  const turns = new Turns();
  for (const item of itemsOf(body.input)) {
    const instructs = item.role === 'system' || item.role === 'developer';
    if (instructs && !turns.begun && isMessage(item)) system.push(...partsOf(item.content).map(textOf));
    else readItem(item.namespace == null ? item : { ...item, name: oneName(item, body) }, turns, others);
  }
  return {
    system,
    turns: turns.said(),
    tools: toolsOf(body, others),
    settings: settingsOf(body),
    others,
    cached: false,
  };
}

const readFields: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'max_output_tokens',
  'stream',
  'stream_options',
  'store',
  'background',
  'include',
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

function itemsOf(input: unknown): readonly JsonObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(input);
}

function isMessage(item: JsonObject): boolean {
  return item.type === undefined || item.type === 'message';
}

function partsOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'input_text', text: content }] : objectsOf(content);
}

function textOf(part: JsonObject): string {
  return stringOf(part.text) ?? stringOf(part.refusal) ?? '';
}

function readItem(item: JsonObject, turns: Turns, others: string[]): void {
  const call = { id: String(item.call_id), name: String(item.name) };
  switch (item.type ?? 'message') {
    case 'message': {
      const turn = turns.of(item.role === 'assistant' ? 'assistant' : 'user');
      for (const part of partsOf(item.content)) readPart(part, turn, others);
      return;
    }
    case 'function_call':
      turns.of('assistant').calls.push({ ...call, input: inputOf(item.arguments) });
      return;
    case 'custom_tool_call':
      turns.of('assistant').calls.push({ ...call, input: { input: item.input } });
      return;
    case 'reasoning': {
      const summary = objectsOf(item.summary);
      const shown = (summary.length > 0 ? summary : objectsOf(item.content)).map(textOf);
      const turn = turns.of('assistant');
      turn.thoughts.push(...shown.filter((text) => text !== ''));
      turn.secrets.push(...[item.encrypted_content].flatMap((sealed) => stringOf(sealed) ?? []));
      return;
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const turn = turns.of('user');
      const parts = partsOf(item.output);
      const texts = parts.flatMap((part) => stringOf(part.text) ?? []);
      turn.results.push(resultOf(item.call_id, texts));
      for (const part of parts) if (part.text === undefined) readPart(part, turn, others);
      return;
    }
    case 'additional_tools':
      return;
    default:
      if (item.execution === 'server' || !readRun(item, turns)) others.push(String(item.type));
  }
}

/** What clients run themselves has kinds of its own here, and is a call and its result to everybody else. */
function readRun(item: JsonObject, turns: Turns): boolean {
  const [, name, isOutput] = runs.exec(String(item.type)) ?? [];
  if (name === undefined) return false;
  const id = String(item.call_id ?? item.id);
  const told = item.output ?? item.tools ?? item.status ?? '';
  const input = item.action ?? item.operation ?? item.arguments ?? { actions: item.actions ?? [] };
  if (isOutput === undefined) turns.of('assistant').calls.push({ id, name, input });
  else if (typeof objectOf(item.output)?.image_url === 'string') {
    turns.of('user').results.push({ id, texts: [], failed: item.status === 'failed' });
    turns.of('user').media.push(mediaAt('image', String(objectOf(item.output)?.image_url)));
  } else {
    const texts = [typeof told === 'string' ? told : JSON.stringify(told)];
    turns.of('user').results.push({ id, texts, failed: item.status === 'failed' });
  }
  return true;
}

const runs = /^(local_shell|shell|apply_patch|tool_search|computer)(?:_call|(?:_call)?(_output))$/;

function readPart(part: JsonObject, turn: Turn, others: string[]): void {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'refusal':
      turn.texts.push(textOf(part));
      return;
    case 'input_image':
      turn.media.push(mediaAt('image', stringOf(part.image_url) ?? stringOf(part.file_id) ?? ''));
      return;
    case 'input_file': {
      const data = stringOf(part.file_data) ?? stringOf(part.file_url) ?? stringOf(part.file_id) ?? '';
      const media = mediaAt('document', data);
      const text = textInside(media);
      if (text === undefined) turn.media.push(media);
      else turn.texts.push(stringOf(part.filename) ?? '', text);
      return;
    }
    default:
      others.push(String(part.type));
  }
}

/** Those of the request, those in namespaces by both of their names, and those that come up in the conversation. */
function declaredIn(body: JsonObject): readonly JsonObject[] {
  const later = itemsOf(body.input).filter(
    ({ type }) => type === 'additional_tools' || type === 'tool_search_output',
  );
  const all = [body, ...later].flatMap(({ tools }) => objectsOf(tools));
  const flat = all.flatMap((tool) =>
    tool.type === 'namespace'
      ? objectsOf(tool.tools).map((inner) => ({ ...inner, name: `${tool.name}__${inner.name}` }))
      : [tool],
  );
  return flat.filter(({ name }, at) => name == null || flat.findIndex((tool) => tool.name === name) === at);
}

function oneName({ namespace, name }: JsonObject, body: JsonObject): string {
  const names = declaredIn(body).map((tool) => tool.name);
  const both = `${namespace}__${name}`;
  return names.includes(name) && !names.includes(both) ? String(name) : both;
}

function toolsOf(body: JsonObject, others: string[]): readonly ToolDeclaration[] {
  return declaredIn(body).flatMap((tool) => {
    if (tool.type !== 'function') others.push(String(tool.type));
    return tool.type === 'function'
      ? [
          {
            name: String(tool.name),
            description: stringOf(tool.description) ?? '',
            schema: tool.parameters ?? { type: 'object', properties: {} },
            strict: tool.strict === true,
          },
        ]
      : [];
  });
}

function settingsOf(body: JsonObject): Settings {
  const choice = body.tool_choice;
  const name = objectOf(choice)?.name;
  const effort = stringOf(objectOf(body.reasoning)?.effort);
  const format = objectOf(objectOf(body.text)?.format);
  return {
    limit: numberOf(body.max_output_tokens),
    stop: [],
    temperature: numberOf(body.temperature),
    top_p: numberOf(body.top_p),
    top_k: undefined,
    choice: typeof name === 'string' ? `tool:${name}` : stringOf(choice),
    oneCallAtMost: body.parallel_tool_calls === false,
    thinking: effort === undefined ? undefined : effort === 'none' ? 'off' : 'on',
    format: format?.type === 'json_object' ? format.type : format?.schema,
    user: stringOf(body.safety_identifier) ?? stringOf(body.user),
  };
}
