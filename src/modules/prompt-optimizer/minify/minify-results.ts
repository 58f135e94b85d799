import {
  type Block,
  blocksOf,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../../module-api.ts';
import { minifiedCharsMin, omittedCharsMin } from '../limits.ts';
import { compactJson } from './json-whitespace.ts';
import { type ResultKind, resultKindOf } from './result-kind.ts';
import { cleanTerminalOutput } from './terminal-output.ts';

/** A message with its tool results minified; the message itself if nothing can be omitted. */
export interface MinifiedMessage {
  readonly message: Message;
  readonly omittedChars: number;
}

/** Minified messages, since each call repeats those of the last one. */
const known = new WeakMap<Message, MinifiedMessage>();

/** Finds the tool calls that results answer, in the messages before them. */
export class ResultMinifier {
  readonly #messages: readonly Message[];
  #calls: ReadonlyMap<string, ToolUseBlock> | undefined;

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
  }

  /** The message at this index, minified. */
  minify(at: number): MinifiedMessage | undefined {
    const message = this.#messages[at];
    if (message === undefined || message.role !== 'user' || typeof message.content === 'string')
      return undefined;
    if (!message.content.some(({ type }) => type === 'tool_result')) return undefined;
    const cached = known.get(message) ?? this.#minifyMessage(message, message.content);
    known.set(message, cached);
    return cached.omittedChars === 0 ? undefined : cached;
  }

  #minifyMessage(message: Message, blocks: readonly Block[]): MinifiedMessage {
    let omittedChars = 0;
    const omit = (text: string, kind: ResultKind) => {
      const minified = minifyText(text, kind);
      omittedChars += text.length - minified.length;
      return minified;
    };
    const content = blocks.map((block) =>
      block.type === 'tool_result' ? this.#minifyResult(block, omit) : block,
    );
    return omittedChars === 0
      ? { message, omittedChars }
      : { message: { ...message, content }, omittedChars };
  }

  #minifyResult(result: ToolResultBlock, omit: (text: string, kind: ResultKind) => string): ToolResultBlock {
    const call = this.#findCall(result.tool_use_id);
    const kind = call === undefined ? 'verbatim' : resultKindOf(call.name, call.input);
    const { content } = result;
    if (kind === 'verbatim' || content === undefined) return result;
    if (typeof content === 'string') return { ...result, content: omit(content, kind) };
    return {
      ...result,
      content: content.map((part) =>
        part.type === 'text' ? { ...part, text: omit(part.text, kind) } : part,
      ),
    };
  }

  #findCall(id: string): ToolUseBlock | undefined {
    this.#calls ??= new Map(
      this.#messages.flatMap((message) =>
        message.role === 'assistant'
          ? blocksOf(message).flatMap((block) =>
              block.type === 'tool_use' ? [[block.id, block] as const] : [],
            )
          : [],
      ),
    );
    return this.#calls.get(id);
  }
}

function minifyText(text: string, kind: ResultKind): string {
  if (text.length < minifiedCharsMin) return text;
  const minified = kind === 'terminal' ? cleanTerminalOutput(text) : (compactJson(text) ?? text);
  return text.length - minified.length < omittedCharsMin ? text : minified;
}
