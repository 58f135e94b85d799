/** Content in the shape of Anthropic Messages, which has room for everything that the other formats have. */
export type ChatBlock =
  | { readonly type: 'text'; readonly text: string }
  | ImageBlock
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | ToolUse
  | ToolResult;

export interface ImageBlock {
  readonly type: 'image';
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
}

export interface ToolUse {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Gemini's proof of its thinking, which has to come back with the call. */
  readonly thoughtSignature?: string;
}

interface ToolResult {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error?: boolean;
}

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ChatBlock[];
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: object;
}

export const efforts = ['low', 'medium', 'high'] as const;
export type Effort = (typeof efforts)[number];

/** A conversation with its settings, in no format yet. */
export interface Chat {
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly ToolDefinition[];
  /** The JSON schema that the answer has to follow. */
  readonly schema?: object | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly effort?: Effort | undefined;
}

/** A chat for one model. */
interface ChatRequest extends Chat {
  readonly model: string;
  readonly streamed: boolean;
}

/** One wire format: how a request is written, and how a stream is read. */
export interface ChatFormat {
  readonly name: string;
  readonly title: string;
  path(request: Pick<ChatRequest, 'model' | 'streamed'>): string;
  body(request: ChatRequest): object;
  /** Adds the events of one frame to an answer. */
  read(frame: Frame, answer: AnswerBuilder): void;
}

/** Unvalidated JSON, of which a reader takes what it knows. */
// biome-ignore lint/suspicious/noExplicitAny: frames have another shape in every format
type Frame = any;

/** An answer that grows frame by frame. */
export class AnswerBuilder {
  readonly #blocks: OpenBlock[] = [];
  stopReason: string | undefined;
  error: string | undefined;

  add(type: 'text' | 'thinking', text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    const last = this.#blocks.at(-1);
    if (last?.type === type) last.text += text;
    else this.#blocks.push({ type, text });
  }

  sign(signature: string): void {
    const last = this.#blocks.findLast(({ type }) => type === 'thinking');
    if (last !== undefined) last.signature = (last.signature ?? '') + signature;
  }

  /** The tool call with this key; its arguments may come in pieces. */
  call(key: unknown, { id, name, json = '', signature }: CallPiece): void {
    let open = this.#blocks.find((block) => block.type === 'tool_use' && block.key === key);
    if (open === undefined) {
      open = { type: 'tool_use', text: '', key };
      this.#blocks.push(open);
    }
    if (id !== undefined) open.id = id;
    if (name !== undefined) open.name = name;
    if (signature !== undefined) open.signature = signature;
    open.text += json;
  }

  get blocks(): readonly ChatBlock[] {
    return this.#blocks.map(({ type, text, id, name = '', signature }, index): ChatBlock => {
      const signed = signature !== undefined && signature !== '';
      if (type === 'text') return { type, text };
      if (type === 'thinking') return { type, thinking: text, ...(signed && { signature }) };
      return {
        type,
        id: id ?? `call_${index}`,
        name,
        input: parsed(text),
        ...(signed && { thoughtSignature: signature }),
      };
    });
  }
}

interface CallPiece {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly json?: string | undefined;
  readonly signature?: string | undefined;
}

interface OpenBlock {
  readonly type: 'text' | 'thinking' | 'tool_use';
  /** The text, or the arguments as JSON. */
  text: string;
  readonly key?: unknown;
  id?: string;
  name?: string;
  signature?: string;
}

function parsed(json: string): unknown {
  if (json === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

export function textOf(blocks: readonly ChatBlock[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

export function callsOf(blocks: readonly ChatBlock[]): readonly ToolUse[] {
  return blocks.filter((block) => block.type === 'tool_use');
}

/** One question, for places that have no more than that. */
export function question(text: string): Pick<Chat, 'system' | 'turns' | 'tools'> {
  return { system: '', turns: [{ role: 'user', content: [{ type: 'text', text }] }], tools: [] };
}

/** The text if there is nothing else, as people write it. */
export function plainText(content: readonly ChatBlock[]): string | undefined {
  const [only] = content;
  return content.length === 1 && only?.type === 'text' ? only.text : undefined;
}

export function dataUrl({ source: { media_type: type, data } }: ImageBlock): string {
  return `data:${type};base64,${data}`;
}
