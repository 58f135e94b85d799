import type { RecordedContent } from '../../kernel/call-recorder.ts';
import type { Answer, Block, MediaSource, Message, Tool } from '../../kernel/message.ts';
import { limits } from '../limits.ts';
import { NamedValues } from './span.ts';

// Shapes are those of https://github.com/open-telemetry/semantic-conventions-genai, as JSON texts.

/** One element of a list in the conventions. */
type Part = Readonly<Record<string, unknown>>;

/** The content of a call as attributes of a span. Each is whole JSON of a limited size; what did not fit is counted. */
export interface ContentAttributes {
  readonly texts: NamedValues<string>;
  /** Messages, parts of messages, tools and ends of texts that are not there. */
  readonly leftOut: number;
}

export function contentAttributes({ request, answer }: RecordedContent): ContentAttributes {
  const texts = new NamedValues<string>();
  const size = new ContentSize();
  const add = (name: string, json: string | undefined) => {
    if (json !== undefined && json !== '[]') texts.add(name, json);
  };
  if (request !== undefined) {
    add('gen_ai.system_instructions', size.list(partsOf(request.system ?? [])));
    add('gen_ai.input.messages', size.messages(request.messages.flatMap(messagesOf)));
    add('gen_ai.tool.definitions', size.list((request.tools ?? []).map(toolOf)));
  }
  if (answer !== undefined) add('gen_ai.output.messages', size.messages([outputOf(answer)]));
  return { texts, leftOut: size.leftOut };
}

interface ConventionMessage {
  readonly role: string;
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
}

/** Keeps lists within the size of one attribute, and counts what it leaves out. */
class ContentSize {
  leftOut = 0;

  /** The first elements that fit. */
  list(elements: readonly Part[]): string {
    const kept: string[] = [];
    let left = limits.otlpContentCharacters;
    for (const element of elements) {
      const json = this.#json(element);
      left -= json.length + 1;
      if (left < 0) break;
      kept.push(json);
    }
    this.leftOut += elements.length - kept.length;
    return `[${kept.join(',')}]`;
  }

  /** The newest messages, and of the oldest of these the last parts, that fit. */
  messages(all: readonly ConventionMessage[]): string {
    const kept: string[] = [];
    let left = limits.otlpContentCharacters;
    for (const [at, { parts, ...facts }] of [...all.entries()].reverse()) {
      const keptParts: string[] = [];
      left -= messageOverhead;
      for (const part of parts.toReversed()) {
        const json = this.#json(part);
        left -= json.length + 1;
        if (left < 0) break;
        keptParts.unshift(json);
      }
      const isWhole = keptParts.length === parts.length;
      if (isWhole || keptParts.length > 0)
        kept.unshift(`{${JSON.stringify(facts).slice(1, -1)},"parts":[${keptParts.join(',')}]}`);
      this.leftOut += parts.length - keptParts.length;
      if (isWhole) continue;
      this.leftOut += at;
      break;
    }
    return `[${kept.join(',')}]`;
  }

  /** Long texts lose their ends, at any depth. */
  #json(part: Part): string {
    const json = JSON.stringify(part);
    if (json.length <= limits.otlpContentPartCharacters) return json;
    const shortened = JSON.stringify(part, (_, value: unknown) =>
      typeof value === 'string' ? this.#shorten(value) : value,
    );
    if (shortened.length <= limits.otlpContentPartCharacters * 2) return shortened;
    // Many values: their names and the shape would not tell much.
    this.leftOut++;
    return JSON.stringify({ type: part.type, left_out_characters: json.length });
  }

  #shorten(text: string): string {
    let end = limits.otlpContentPartCharacters;
    if (JSON.stringify(text).length <= end) return text;
    this.leftOut++;
    // Escapes take up to six characters.
    while (JSON.stringify(text.slice(0, end)).length > limits.otlpContentPartCharacters)
      end = Math.floor(end / 2);
    return `${text.slice(0, end).toWellFormed()}…`;
  }
}

/** What a message takes besides its parts, at most. */
const messageOverhead = 100;

/** Results of tools are messages of their own in the conventions. */
function messagesOf({ role, content }: Message): readonly ConventionMessage[] {
  if (typeof content === 'string') return [{ role, parts: partsOf(content) }];
  const results = content.filter(({ type }) => type === 'tool_result');
  const others = content.filter(({ type }) => type !== 'tool_result');
  return [
    ...(results.length > 0 ? [{ role: 'tool', parts: partsOf(results) }] : []),
    ...(others.length > 0 ? [{ role, parts: partsOf(others) }] : []),
  ];
}

function outputOf({ role, content, stop_reason: stopReason }: Answer): ConventionMessage {
  return {
    role,
    parts: partsOf(content),
    finish_reason: finishReasons[stopReason ?? ''] ?? stopReason ?? 'error',
  };
}

/** The names of the conventions; other reasons stay as they are. */
const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_call',
  refusal: 'content_filter',
};

function partsOf(content: string | readonly Block[]): readonly Part[] {
  return typeof content === 'string' ? [{ type: 'text', content }] : content.map(partOf);
}

function partOf(block: Block): Part {
  switch (block.type) {
    case 'text':
      return { type: 'text', content: block.text };
    case 'thinking':
      return { type: 'reasoning', content: block.thinking };
    case 'tool_use':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: block.input };
    case 'tool_result':
      return { type: 'tool_call_response', id: block.tool_use_id, response: responseOf(block.content ?? '') };
    case 'image':
      return mediaOf('image', block.source);
    case 'document':
      return mediaOf('document', block.source);
    default:
      return { type: block.type };
  }
}

/** A text where there is nothing else, as most backends show it. */
function responseOf(content: string | readonly Block[]): unknown {
  if (typeof content === 'string') return content;
  const [only] = content;
  return content.length === 1 && only?.type === 'text' ? only.text : partsOf(content);
}

/** Without the bytes. */
function mediaOf(modality: string, source: MediaSource): Part {
  switch (source.type) {
    case 'url':
      return { type: 'uri', modality, uri: source.url };
    case 'file':
      return { type: 'file', modality, file_id: source.file_id };
    case 'text':
      return { type: 'text', content: source.data };
    default:
      return {
        type: 'blob',
        modality,
        mime_type: source.media_type,
        left_out_characters: source.data.length,
      };
  }
}

function toolOf({ type, name, description, input_schema: parameters }: Tool): Part {
  return { type: type ?? 'function', name, description, parameters };
}
