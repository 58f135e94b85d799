/**
 * The canonical shape of conversations in the gateway: Anthropic Messages, the richest of the supported formats.
 * Types list the fields that the gateway reads; other fields are passed along unchanged.
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
  /** What the provider should remove from the conversation itself. */
  readonly context_management?: Readonly<Record<string, unknown>>;
  /** Fields of another wire format without a canonical name, by format; with `!`, those that change the answer. */
  readonly extensions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Format-specific fields that change the answer. */
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

/** Known block types. Providers add types; blocks of unknown types are passed on. */
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
  /** The text of a refusal, which some formats separate from content; never part of a request. */
  readonly refusal?: true;
  /** Whether the text is commentary or the final answer, in formats that distinguish these; never part of a request. */
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
  /** `from` is the wire format that it came in, unless that is Messages. */
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

/** The prefix of opaque data of other formats, which clients send back without reading it. */
export const sealMark = 'weir.sealed.';

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
  /** Not loaded until the model searches for it; not every provider supports that. */
  readonly defer_loading?: boolean;
  readonly cache_control?: CacheControl;
}

export type ToolChoice =
  | { readonly type: 'auto'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'any'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'none' };

export type Thinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number; readonly display?: ThinkingDisplay | null }
  | { readonly type: 'adaptive'; readonly display?: ThinkingDisplay | null }
  | { readonly type: 'between_tools' }
  | { readonly type: 'disabled' };

/** Whether thinking is in the answer: as a summary, not at all, or as short updates. */
type ThinkingDisplay = 'summarized' | 'omitted' | 'updates';

export interface OutputConfig {
  /** The thinking effort: Anthropic's levels, and the `none` and `minimal` of others. */
  readonly effort?: string | null;
  readonly format?: OutputFormat | null;
}

/** `json_object` is JSON of any shape. Name, description and strictness of the schema come from other formats. */
export interface OutputFormat {
  readonly type: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly description?: string;
  readonly strict?: boolean;
}

/** `input_tokens` excludes cache reads and cache writes: the sum of the three is the model's input. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: number;
    readonly ephemeral_1h_input_tokens?: number;
  };
  /** The share of reasoning in `output_tokens`. */
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null;
  /** The shares of audio in `input_tokens` and `output_tokens`, which have their own prices. */
  readonly input_audio_tokens?: number;
  readonly output_audio_tokens?: number;
  /** The shares of pictures. */
  readonly input_image_tokens?: number;
  readonly output_image_tokens?: number;
  /** The shares of audio and of pictures in `cache_read_input_tokens`; those above have none of them. */
  readonly cache_read_audio_tokens?: number;
  readonly cache_read_image_tokens?: number;
  /** What endpoints without messages bill by the piece. */
  readonly units?: Units;
  /** Searches on the provider's side, which are billed each. */
  readonly server_tool_use?: {
    readonly web_fetch_requests?: number;
    readonly web_search_requests?: number;
    /** Searches with OpenAI's `web_search_preview`, which has its own price. */
    readonly preview_search_requests?: number;
    readonly file_search_requests?: number;
    /** Uses of the provider's tools whose fees are unknown. */
    readonly unpriced_requests?: number;
  } | null;
  /** Factors of the price: service tier, speed and region. */
  readonly service_tier?: string | null;
  readonly speed?: string | null;
  readonly inference_geo?: string | null;
  /** What became of a `fallback_credit_token`: a redeemed one makes cache writes cost as much as reads. */
  readonly fallback_credit?: FallbackCredit | null;
  /** The single passes of an answer that took several; passes by another model or for a summary count only here. */
  readonly iterations?: readonly Iteration[] | null;
  /** The cost that the provider reports, in dollars. */
  readonly cost?: number;
}

/** What is billed by the piece. */
export interface Units {
  readonly images?: number;
  /** Seconds of audio. */
  readonly seconds?: number;
  /** Characters of a text that is spoken. */
  readonly characters?: number;
  /** Searches of a ranking. */
  readonly searches?: number;
}

export interface Iteration extends Omit<Usage, 'iterations' | 'cost'> {
  readonly type: string;
  /** The model, if it isn't the requested one. */
  readonly model?: string | null;
}

export interface FallbackCredit {
  readonly status: { readonly type: string; readonly reason?: string };
}

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

/** Known event types; as with blocks, unknown ones are passed on. */
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
  | { readonly type: 'compaction_delta'; readonly content?: unknown; readonly encrypted_content?: unknown }
  | ForeignDelta;

/** Events of a block that only its own format understands: its deltas, and the whole block at the end. */
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

/** Why a model refused, if reported. */
export interface StopDetails {
  readonly type: string;
  readonly category?: string | null;
  readonly explanation?: string | null;
}

export interface ErrorEvent {
  readonly type: 'error';
  readonly error: StreamError;
  /** The usage that the provider reported, if not reported before. */
  readonly usage?: Usage;
}

export interface StreamError {
  readonly type: string;
  readonly message: string;
  /** The HTTP status that the error would have had without a stream, if known. */
  readonly status?: number;
}
