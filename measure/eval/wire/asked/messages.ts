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

/** Anthropic Messages, by the plainest code there is. */
export function askedInMessages(body: JsonObject): RequestOutline {
  const others: string[] = [...unread(body, readFields)];
  const system = textsIn(body.system);
  const tools = new Map(toolsOf(body, others).map((tool) => [tool.name, tool]));
  let turns = new Turns();
  for (const message of objectsOf(body.messages)) {
    if (message.role === 'system' && !turns.begun) {
      system.push(...textsIn(message.content));
      continue;
    }
    const side = message.role === 'assistant' ? 'assistant' : 'user';
    for (const block of blocksOf(message.content)) {
      // What stands before a compaction is not read.
      if (block.type === 'compaction' && typeof block.content === 'string') turns = new Turns();
      for (const change of [block, ...objectsOf(block.tool_changes)]) changeTools(change, tools);
      readBlock(block, turns.of(side), others);
    }
  }
  return {
    system,
    turns: turns.said(),
    tools: [...tools.values()],
    settings: settingsOf(body),
    others,
    cached: /"cache_control":\{/.test(JSON.stringify(body)),
  };
}

const readFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'metadata',
  'thinking',
  'output_config',
  'output_format',
  'cache_control',
]);

function blocksOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

function textsIn(content: unknown): string[] {
  return blocksOf(content).flatMap((block) => stringOf(block.text) ?? []);
}

function readBlock(block: JsonObject, turn: Turn, others: string[]): void {
  switch (block.type) {
    case 'text':
      turn.texts.push(stringOf(block.text) ?? '');
      return;
    case 'compaction':
      turn.texts.push(stringOf(block.content) ?? '');
      return;
    case 'tool_addition':
    case 'tool_removal':
    case 'fallback':
      return;
    case 'thinking':
      if (stringOf(block.thinking)) turn.thoughts.push(String(block.thinking));
      return;
    case 'redacted_thinking':
      turn.secrets.push(String(block.data));
      return;
    case 'image':
    case 'document':
      addMedia(block, turn);
      return;
    case 'tool_use':
      turn.calls.push({ id: String(block.id), name: String(block.name), input: block.input ?? {} });
      return;
    case 'tool_result': {
      const texts: string[] = [];
      for (const part of blocksOf(block.content))
        if (part.type === 'image' || part.type === 'document') addMedia(part, { ...turn, texts });
        else if (part.type === 'text') texts.push(stringOf(part.text) ?? '');
        else if (part.type === 'tool_reference') texts.push(String(part.tool_name));
        else others.push(String(part.type));
      turn.results.push({ id: String(block.tool_use_id), texts, failed: block.is_error === true });
      return;
    }
    default:
      others.push(String(block.type === 'foreign' ? block.kind : block.type));
  }
}

/** Tools that come and go in mid-conversation: by definition, or by the name of a declared one. */
function changeTools({ type, tool }: JsonObject, tools: Map<string, ToolDeclaration>): void {
  const { name, definition } = objectOf(tool) ?? {};
  if (type === 'tool_removal') tools.delete(String(name));
  if (type === 'tool_addition' && definition !== undefined)
    for (const added of toolsOf({ tools: [definition] }, [])) tools.set(added.name, added);
}

function addMedia(block: JsonObject, turn: Pick<Turn, 'texts' | 'media'>): void {
  const source = objectOf(block.source) ?? {};
  if (source.type === 'text') {
    turn.texts.push(stringOf(block.title) ?? '', stringOf(source.data) ?? '');
    return;
  }
  const kind = block.type === 'image' ? 'image' : 'document';
  const media: Media = {
    kind,
    type: stringOf(source.media_type) ?? '',
    data: stringOf(source.data) ?? stringOf(source.url) ?? stringOf(source.file_id) ?? '',
  };
  const text = textInside(media);
  if (text === undefined) turn.media.push(media);
  else turn.texts.push(text);
}

function toolsOf(body: JsonObject, others: string[]): readonly ToolDeclaration[] {
  return objectsOf(body.tools).flatMap((tool) => {
    const ours = tool.type === undefined || tool.type === null || tool.type === 'custom';
    if (!ours) others.push(String(tool.type));
    const { name, description, input_schema: schema, strict } = tool;
    return ours
      ? [
          {
            name: String(name),
            description: stringOf(description) ?? '',
            schema: schema ?? { type: 'object', properties: {} },
            strict: strict === true,
          },
        ]
      : [];
  });
}

function settingsOf(body: JsonObject): Settings {
  const choice = objectOf(body.tool_choice);
  const config = objectOf(body.output_config);
  const format = objectOf(config?.format) ?? objectOf(body.output_format);
  return {
    limit: numberOf(body.max_tokens),
    stop: Array.isArray(body.stop_sequences) ? body.stop_sequences.map(String) : [],
    temperature: numberOf(body.temperature),
    top_p: numberOf(body.top_p),
    top_k: numberOf(body.top_k),
    choice: choiceOf(choice),
    oneCallAtMost: choice?.disable_parallel_tool_use === true,
    thinking: thinkingOf(objectOf(body.thinking), stringOf(config?.effort)),
    format: format?.schema,
    user: stringOf(objectOf(body.metadata)?.user_id),
  };
}

function choiceOf(choice: JsonObject | undefined): string | undefined {
  if (choice?.type === 'any') return 'required';
  return choice?.type === 'tool' ? `tool:${choice.name}` : stringOf(choice?.type);
}

function thinkingOf(thinking: JsonObject | undefined, effort: string | undefined): Settings['thinking'] {
  if (thinking?.type === 'disabled') return 'off';
  return thinking?.type === 'enabled' || effort !== undefined ? 'on' : undefined;
}
