/**
 * The one shape a conversation has inside the gateway: Anthropic Messages under its own names, the richer of the
 * formats we speak. Types name the fields we read; what they don't name travels along untouched.
 */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly system?: string | readonly TextBlock[];
  readonly max_tokens?: number;
  readonly stream?: boolean;
  readonly tools?: readonly Tool[];
  readonly tool_choice?: ToolChoice;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly stop_sequences?: readonly string[];
  readonly metadata?: { readonly user_id?: string | null };
  readonly thinking?: Thinking;
  readonly output_config?: OutputConfig;
  /** What its provider shall leave out of the conversation by itself. */
  readonly context_management?: Readonly<Record<string, unknown>>;
  /** Fields of another wire format that have no name here, by the format's name; with `!` those that an answer depends on. */
  readonly extensions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Fields of a format's own without which an answer would not be the one that was asked for. */
export function essentialFieldsOf(
  { extensions }: ChatRequest,
  wire: string,
): Readonly<Record<string, unknown>> {
  return extensions?.[`${wire}!`] ?? {};
}

export interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly Block[];
}

/** Kinds we know by name. Providers add kinds; at run time a block may be of one that is not here, and is passed on. */
export type Block =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | ToolUseBlock
  | ToolResultBlock
  | ThinkingBlock
  | RedactedThinkingBlock;

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /** Words of a refusal, which some formats keep apart from content; never part of a request. */
  readonly refusal?: true;
  /** Whether it was said on the way or in the end, in formats that tell these apart; never part of a request. */
  readonly phase?: string;
  readonly cache_control?: CacheControl;
}

export interface ImageBlock {
  readonly type: 'image';
  readonly source: MediaSource;
  readonly cache_control?: CacheControl;
}

export interface DocumentBlock {
  readonly type: 'document';
  readonly source: MediaSource;
  readonly title?: string | null;
  readonly cache_control?: CacheControl;
}

export type MediaSource =
  | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'text'; readonly media_type: string; readonly data: string }
  /** `from` names the wire format that it came in, where that isn't Messages. */
  | { readonly type: 'file'; readonly file_id: string; readonly from?: string };

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly cache_control?: CacheControl;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly Block[];
  readonly is_error?: boolean;
  readonly cache_control?: CacheControl;
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string;
}

export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

export interface Tool {
  readonly type?: string;
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly strict?: boolean;
  /** There, but not loaded before the model has looked for it; not every provider knows that. */
  readonly defer_loading?: boolean;
  readonly cache_control?: CacheControl;
}

export type ToolChoice =
  | { readonly type: 'auto'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'any'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'none' };

export type Thinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'adaptive' }
  | { readonly type: 'disabled' };

export interface OutputConfig {
  /** How hard to think: Anthropic's levels, and the `none` and `minimal` of others. */
  readonly effort?: string | null;
  readonly format?: OutputFormat | null;
}

/** `json_object` is JSON of any shape. A name and a description for the schema, and strictness, are what others add. */
export interface OutputFormat {
  readonly type: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly description?: string;
  readonly strict?: boolean;
}

/** `input_tokens` counts neither cache reads nor cache writes: the three add up to what the model read. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: number;
    readonly ephemeral_1h_input_tokens?: number;
  };
  /** How much of `output_tokens` was reasoning. */
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null;
  /** How much of `input_tokens` and of `output_tokens` was sound, which has prices of its own. */
  readonly input_audio_tokens?: number;
  readonly output_audio_tokens?: number;
  /** Searches that the provider made on its side and bills by the piece. */
  readonly server_tool_use?: {
    readonly web_search_requests?: number;
    readonly file_search_requests?: number;
  } | null;
  /** What a provider may bill otherwise: how urgent the call was, how fast it was answered, and where. */
  readonly service_tier?: string | null;
  readonly speed?: string | null;
  readonly inference_geo?: string | null;
  /** The single passes of an answer that took several; passes by another model or for a summary count only here. */
  readonly iterations?: readonly Iteration[] | null;
  /** What the provider says that the call cost, in dollars. */
  readonly cost?: number;
}

export interface Iteration extends Omit<Usage, 'iterations' | 'cost'> {
  readonly type: string;
  /** Where it was another than the one that was asked for. */
  readonly model?: string;
}

/** A whole answer. */
export interface Answer {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly stop_details?: StopDetails | null;
  readonly usage: Usage;
}

/** Kinds we know by name; as with blocks, an event of a newer kind is passed on. */
export type ReplyEvent =
  | { readonly type: 'message_start'; readonly message: Answer }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: Block }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: Delta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | { readonly type: 'message_delta'; readonly delta: StopDelta; readonly usage?: Usage }
  | { readonly type: 'message_stop' }
  | { readonly type: 'ping' }
  | ErrorEvent;

export type Delta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'citations_delta'; readonly citation: unknown }
  | ForeignDelta;

/** Of a block that only its own format understands: what its stream says of it in the meantime, and in the end the whole of it. */
export interface ForeignDelta {
  readonly type: 'foreign_delta';
  readonly frame?: Readonly<Record<string, unknown>>;
  readonly part?: Readonly<Record<string, unknown>>;
}

export interface StopDelta {
  readonly stop_reason?: string | null;
  readonly stop_sequence?: string | null;
  readonly stop_details?: StopDetails | null;
}

/** Why a model refused, where it says so. */
export interface StopDetails {
  readonly type: string;
  readonly category?: string | null;
  readonly explanation?: string | null;
}

export interface ErrorEvent {
  readonly type: 'error';
  readonly error: StreamError;
  /** What its provider counted, where that wasn't told before. */
  readonly usage?: Usage;
}

export interface StreamError {
  readonly type: string;
  readonly message: string;
  /** What an answer with nothing but this error would have had for a status, where that is known. */
  readonly status?: number;
}
