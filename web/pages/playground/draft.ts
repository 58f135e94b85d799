import {
  type Chat,
  type ChatBlock,
  type Effort,
  efforts,
  type ToolDefinition,
  type Turn,
} from '../../parts/chat/chat.ts';
import { blocksOf, imageAddress, isObject, messagesOf, textIn } from '../../parts/conversation/content.ts';
import { formatNamed, formats } from '../../parts/formats.ts';

/** A tool while it is written: its schema may not be JSON yet. */
export interface ToolDraft {
  readonly name: string;
  readonly description: string;
  readonly schema: string;
}

export interface Target {
  readonly model: string;
  readonly format: string;
  /** The list of modules; undefined for the gateway's own. */
  readonly pipeline?: string | undefined;
}

/** Everything on the page but answers and credentials: what is kept, and what a link carries. */
export interface Draft
  extends Pick<Chat, 'system' | 'turns' | 'maxTokens' | 'temperature' | 'topP' | 'effort'> {
  readonly tools: readonly ToolDraft[];
  /** The JSON schema of the answer; undefined for text. */
  readonly schema?: string | undefined;
  readonly targets: readonly Target[];
}

export const targetsMax = 4;

export function textTurn(role: Turn['role'], text: string): Turn {
  return { role, content: [{ type: 'text', text }] };
}

export function newDraft(model: string): Draft {
  return {
    system: '',
    turns: [textTurn('user', 'Say in one sentence what a weir is.')],
    tools: [],
    maxTokens: 1024,
    targets: [{ model, format: formats[0].name }],
  };
}

/** The chat that a draft stands for, or why it stands for none. */
export function chatOf(draft: Draft): { readonly chat: Chat } | { readonly fault: string } {
  const { system, turns, maxTokens, temperature, topP, effort } = draft;
  const tools: ToolDefinition[] = [];
  for (const { name, description, schema } of draft.tools) {
    const parsed = parseObject(schema);
    if (!/^[\w-]{1,64}$/.test(name))
      return { fault: `A tool needs a name of letters, digits, - and _: "${name}"` };
    if (parsed === undefined) return { fault: `The schema of ${name} is not a JSON object` };
    tools.push({ name, description, input_schema: parsed });
  }
  const schema = draft.schema === undefined ? undefined : parseObject(draft.schema);
  if (draft.schema !== undefined && schema === undefined)
    return { fault: 'The schema of the answer is not a JSON object' };
  const written = turns
    .map(({ role, content }) => ({ role, content: content.filter(isWritten) }))
    .filter(({ content }) => content.length > 0);
  if (written.at(-1)?.role !== 'user') return { fault: 'Write a message' };
  return { chat: { system, turns: written, tools, schema, maxTokens, temperature, topP, effort } };
}

function isWritten(block: ChatBlock): boolean {
  return block.type !== 'text' || block.text.trim() !== '';
}

function parseObject(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A draft from a link or the history, which anybody may have written: what is not known is left out. */
export function readDraft(value: unknown): Draft | undefined {
  if (!isObject(value)) return undefined;
  const targets = (Array.isArray(value.targets) ? value.targets : []).filter(isObject).slice(0, targetsMax);
  if (targets.length === 0) return undefined;
  return {
    ...readSettings(value),
    system: textIn(value.system),
    turns: turnsIn({ messages: value.turns }),
    tools: (Array.isArray(value.tools) ? value.tools : [])
      .filter(isObject)
      .map(({ name, description, schema }) => {
        return { name: textIn(name), description: textIn(description), schema: textIn(schema) };
      }),
    ...(typeof value.schema === 'string' && { schema: value.schema }),
    targets: targets.map(({ model, format, pipeline }) => ({
      model: textIn(model),
      format: (formatNamed(textIn(format)) ?? formats[0]).name,
      ...(typeof pipeline === 'string' && { pipeline }),
    })),
  };
}

/** A draft from a recorded request, which has the shape of Anthropic Messages whatever its format. */
export function draftOfRecorded(request: unknown, target: Target): Draft {
  const recorded = isObject(request) ? request : {};
  const output = isObject(recorded.output_config) ? recorded.output_config : {};
  const format = isObject(output.format) ? output.format : {};
  const tools = (Array.isArray(recorded.tools) ? recorded.tools : []).filter(isObject);
  return {
    ...readSettings({
      maxTokens: recorded.max_tokens,
      temperature: recorded.temperature,
      topP: recorded.top_p,
      effort: output.effort,
    }),
    system: blocksOf(recorded.system)
      .map(({ text }) => textIn(text))
      .join('\n\n'),
    turns: turnsIn(recorded),
    tools: tools
      .filter(({ input_schema: schema }) => isObject(schema))
      .map(({ name, description, input_schema: schema }) => ({
        name: textIn(name),
        description: textIn(description),
        schema: JSON.stringify(schema, undefined, 2),
      })),
    ...(isObject(format.schema) && { schema: JSON.stringify(format.schema, undefined, 2) }),
    targets: [target],
  };
}

function readSettings(value: {
  readonly maxTokens?: unknown;
  readonly temperature?: unknown;
  readonly topP?: unknown;
  readonly effort?: unknown;
}): Pick<Draft, 'maxTokens' | 'temperature' | 'topP' | 'effort'> {
  const number = (from: unknown) => (typeof from === 'number' && Number.isFinite(from) ? from : undefined);
  return {
    maxTokens: number(value.maxTokens),
    temperature: number(value.temperature),
    topP: number(value.topP),
    effort: efforts.find((effort): effort is Effort => effort === value.effort),
  };
}

/** Messages with the content that the page can show and send. */
function turnsIn(request: unknown): readonly Turn[] {
  const turns = messagesOf(request)
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ role, blocks }): Turn => {
      return { role: role === 'user' ? 'user' : 'assistant', content: blocks.flatMap(readBlock) };
    })
    .filter(({ content }) => content.length > 0);
  return turns.length === 0 ? [textTurn('user', '')] : turns;
}

function readBlock(block: Readonly<Record<string, unknown>>): readonly ChatBlock[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: textIn(block.text) }];
    case 'thinking':
      return typeof block.signature === 'string'
        ? [{ type: 'thinking', thinking: textIn(block.thinking), signature: block.signature }]
        : [];
    case 'tool_use': {
      const { id, name, input, thoughtSignature } = block;
      const signed = typeof thoughtSignature === 'string' && { thoughtSignature };
      return [{ type: 'tool_use', id: textIn(id), name: textIn(name), input, ...signed }];
    }
    case 'tool_result': {
      const content = blocksOf(block.content).map(({ text }) => textIn(text));
      const isError = block.is_error === true && { is_error: true };
      return [
        {
          type: 'tool_result',
          tool_use_id: textIn(block.tool_use_id),
          content: content.join('\n'),
          ...isError,
        },
      ];
    }
    case 'image': {
      const { source } = block;
      if (!isObject(source) || imageAddress(source) === undefined) return [];
      const { media_type, data } = source;
      return [
        { type: 'image', source: { type: 'base64', media_type: textIn(media_type), data: textIn(data) } },
      ];
    }
    default:
      return [];
  }
}
