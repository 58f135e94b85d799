import type { Block, ChatRequest, Message, Tool } from '../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { untranslatableError } from './foreign.ts';
import { objectOf, objectsOf, omitUndefined, stringOf } from './json-values.ts';

/**
 * Applies what only Anthropic's API does with a conversation: a compaction replaces all messages before it, tools come
 * and go with blocks, and a system message may set the effort. Returns the same request if it has none of these.
 */
export function toPlainConversation(request: ChatRequest, wire: string): ChatRequest {
  if ('compaction' in request && request.compaction != null) throw untranslatableError('compaction', wire);
  if (request.max_tokens === 0) throw untranslatableError('max_tokens', wire);
  if (!request.messages.some(isSpecial)) return request;
  const conversation = new PlainConversation(request);
  for (const message of request.messages) conversation.add(message);
  return conversation.request();
}

function isSpecial(message: Message): boolean {
  const { role, content } = message;
  if ('output_config' in message || (role === 'system' && content.length === 0)) return true;
  return typeof content !== 'string' && content.some(({ type }) => specialTypes.has(type));
}

const specialTypes: ReadonlySet<string> = new Set([
  'compaction',
  'fallback',
  'tool_addition',
  'tool_removal',
]);

class PlainConversation {
  readonly #original: ChatRequest;
  readonly #tools: Map<string, Tool>;
  #messages: Message[] = [];
  #effort: string | undefined;

  constructor(request: ChatRequest) {
    this.#original = request;
    this.#tools = new Map(request.tools?.map((tool, at) => [tool.name ?? `${at}`, tool]));
  }

  add(message: Message): void {
    const { role, content } = message;
    this.#effort = effortOf(message) ?? this.#effort;
    if (typeof content === 'string') {
      this.#messages.push(message);
      return;
    }
    const plain = content.flatMap((block) => this.#plainBlocks(block));
    if (plain.length > 0) this.#messages.push({ role, content: plain });
  }

  request(): ChatRequest {
    const { tools, output_config: config } = this.#original;
    const changed = tools !== undefined || this.#tools.size > 0 ? { tools: [...this.#tools.values()] } : {};
    const output_config =
      this.#effort === undefined ? config : omitUndefined({ ...config, effort: this.#effort });
    return omitUndefined({ ...this.#original, ...changed, messages: this.#messages, output_config });
  }

  #plainBlocks(block: Block): readonly Block[] {
    const fields: JsonObject = { ...block };
    switch (fields.type) {
      case 'compaction': {
        const summary = stringOf(fields.content);
        // A failed compaction has no content and no effect.
        if (summary === undefined) return [];
        this.#messages = [];
        for (const change of objectsOf(fields.tool_changes)) this.#changeTools(change);
        return [{ type: 'text', text: summary }];
      }
      case 'tool_addition':
      case 'tool_removal':
        this.#changeTools(fields);
        return [];
      case 'fallback':
        return [];
      default:
        return [block];
    }
  }

  /** Tools of MCP servers are left out with their servers. */
  #changeTools({ type, tool }: JsonObject): void {
    const { type: kind, name, definition } = objectOf(tool) ?? {};
    if (type === 'tool_removal' && kind === 'tool_reference') this.#tools.delete(String(name));
    if (type !== 'tool_addition') return;
    const added =
      kind === 'tool_definition' ? definition : this.#original.tools?.find((one) => one.name === name);
    if (isTool(added)) this.#tools.set(added.name, added);
  }
}

function isTool(value: unknown): value is Tool {
  return isJsonObject(value) && typeof value.name === 'string';
}

function effortOf(message: Message): string | undefined {
  return 'output_config' in message ? stringOf(objectOf(message.output_config)?.effort) : undefined;
}
