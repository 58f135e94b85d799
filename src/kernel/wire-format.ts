import type { HeaderList } from '../lib/headers.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Acceptance } from './acceptance.ts';
import type { ClientRequest } from './client-request.ts';
import type { Compaction } from './compaction.ts';
import type { Continuation } from './continuation.ts';
import type { ErrorCode } from './errors.ts';
import type { FieldReader, LazyJsonObject } from './json/lazy-json-object.ts';
import type { MinuteStatus } from './limit-status.ts';
import type { ChatRequest, ReplyEvent } from './message.ts';
import type { PromptInsertion, RenderedPrompt } from './prompt.ts';
import type { Target } from './provider.ts';
import type { RelayRoute } from './relay.ts';
import type { ByteFilter } from './reply/filter-bytes.ts';
import type { SocketFormat } from './socket-format.ts';

/** The framing of an answer: one JSON document, or server-sent events. */
export type Framing = 'json' | 'sse';

/** Which events a reader needs; `milestones` avoids parsing every text delta. */
export type Interest = 'milestones' | 'everything';

/** The provider side of a format: encodes requests and decodes answers. */
export interface ProviderFormat {
  readonly name: string;
  /** Required headers, if the client's own don't suffice. */
  readonly ownHeaders: HeaderList;
  /** Whether it requires an output limit. */
  readonly requiresOutputLimit?: true;
  /** Whether this model's hosts accept Anthropic's cache markers, and cache nothing without them. */
  needsCacheMarkers?(model: string): boolean;
  /** For calls without reported usage. */
  readonly estimates: TokenEstimates;
  /** For formats whose streams report usage only on request. */
  readonly usageOptIn?: UsageOptIn;
  /** The body fields that name the model; `received` has those of a client of this format. */
  modelFields(model: string, received?: FieldReader): JsonObject;
  /** The path below a provider's base URL; `query` is the client's if it speaks this format. */
  requestPath(model: string, streamed: boolean, query: string): string;
  /**
   * `received` is set if the request came in this format: unchanged fields keep their bytes. Without `accepts`,
   * encodes everything that the format can express.
   */
  encodeRequest(request: ChatRequest, clientRequest?: ClientRequest, accepts?: Acceptance): EncodedRequest;
  /**
   * Replaces what this model's provider would reject in a request of its own format: thinking of other makers' models,
   * and data that only the gateway can read. Undefined if there is none. `received` is set if `body` has the texts of
   * the client's own body.
   */
  replaceForeignContent?(
    body: Uint8Array,
    model: string,
    received?: LazyJsonObject,
  ): EncodedRequest | undefined;
  /** Body fields that the API rejects in the version that the client names; they may be meant for another model. */
  rejectedFields?(clientRequest: ClientRequest): readonly string[];
  /** The fields of a request for another model that replace its reasoning settings, which this target rejects. */
  replaceSettings?(request: ChatRequest, target: Target, fields: FieldReader): JsonObject;
  /** Adds the headers that a request needs after a module has changed it. */
  headersFor?(request: ChatRequest, headers: HeaderList): string[];
  replyDecoder(framing: Framing, interest: Interest): ReplyDecoder;
  /** How to count the tokens of a call without making it, if the API supports that. */
  readonly counting?: TokenCounting;
}

/** A wire format, used on both sides: the server decodes requests with it, the upstream encodes them. */
export interface WireFormat extends ProviderFormat {
  /** Its routes at this gateway. */
  readonly routes: readonly WireRoute[];
  /** The minimal request, as JSON Schema. */
  readonly bodySchema: JsonObject;
  /** Request fields that don't affect the answer: user, metadata, framing. */
  readonly bookkeeping: readonly string[];
  /** The prefix of this API's request headers: all but the `harmless` ones may change an answer. */
  readonly apiHeaders: { readonly prefix: string; readonly harmless: readonly string[] };
  /** The request field whose entries may be read as tags. */
  readonly tagsField?: 'metadata' | 'labels';
  /** Request fields that refer to provider state which the call changes: a cached answer would skip the change. */
  readonly stateFields: readonly string[];
  /** Whether the canonical shape can express the whole request: then it is the same call in every format. */
  isPlain(body: JsonObject): boolean;
  /** The query parameters that can change the answer; all if undefined. */
  significantQuery?(query: string): string;
  /** How long the provider should cache the prompt, if a field of this format alone says so. */
  promptCacheSeconds?(request: ChatRequest): number | undefined;
  /** What keeps a silent stream alive without being taken for content. */
  readonly keepAlive: Uint8Array;
  /** Clients of this format fail at comments in a stream. */
  readonly rejectsComments?: true;
  /** For formats whose clients may refer to an earlier answer instead of sending the conversation again. */
  readonly continuation?: Continuation;
  /** For formats whose clients may have their conversation summarized. */
  readonly compaction?: Compaction;
  /**
   * Converts a whole answer to the wanted framing without loss; undefined if it can't be parsed. Answers of formats
   * without it are decoded and encoded.
   */
  reframe?(
    whole: { readonly framing: Framing; readonly body: Uint8Array },
    wanted: Framing,
  ): Uint8Array | undefined;
  /** The session marker of agents that speak this format, if a call has one. */
  session?(clientRequest: ClientRequest): string | undefined;
  /** The session that started this one, if the call is of a subagent. */
  parentSession?(clientRequest: ClientRequest): string | undefined;
  /** The part of an agent that made the call, such as a subagent, if the agent names it. */
  agent?(clientRequest: ClientRequest): string | undefined;
  /** Whether the client says that it replaced earlier turns with a summary. */
  isCompacted?(clientRequest: ClientRequest): boolean;
  /** The prefix of an instruction block in which agents identify themselves. */
  readonly attribution?: string;
  /** The model and framing that a call asks for, from its path, query and body. */
  readRouting(fieldReader: FieldReader, path: string, query: string): RoutingFields;
  /** `clientRequest` is set if the body alone is not enough. */
  decodeRequest(body: JsonObject, clientRequest?: RoutingFields): ChatRequest;
  replyEncoder(framing: Framing, clientRequest: ClientRequest): ReplyEncoder;
  /** This format's error type for a status. */
  errorType(status: number, code: ErrorCode): string;
  /** This format's own codes for known errors. */
  readonly errorCodes?: Readonly<Partial<Record<ErrorCode, string>>>;
  /** The body of an error, if clients of this format accept only their own. */
  errorBody?(envelope: JsonObject, error: CallError): JsonObject;
  /** What is left of a limit per minute, in headers that only clients of this format read. */
  limitHeaders?(name: string, minute: MinuteStatus): HeaderList;
  /** What changes in a call so that it begins with a stored prompt: its texts come first, and the client's settings win. */
  insertPrompt?(
    prompt: RenderedPrompt,
    clientRequest: Pick<ClientRequest, 'fields' | 'path'>,
  ): PromptInsertion;
  /** An error in the middle of a stream. */
  errorFrame(envelope: JsonObject): Uint8Array;
  /** For formats whose clients may make calls over a WebSocket. */
  readonly socket?: SocketFormat;
  /** Clients of this format retry after an error, but not after a broken connection: a broken stream gets both. */
  readonly sendsErrorBeforeBreak?: true;
  /** For a client that wants a stream without server-sent events. */
  layout?(request: Pick<ClientRequest, 'path' | 'query' | 'socket'>): StreamLayout | undefined;
}

/** Converts the frames of a stream, each as soon as it is complete. */
export interface StreamLayout extends ByteFilter {
  readonly contentType: string;
  /** What may stand between frames without being one. */
  readonly keepAlive: Uint8Array;
  /** An error, which ends the stream; `status` is what it would have before. */
  encodeError(envelope: JsonObject, status: number): Uint8Array;
}

/** Unvalidated. */
export interface RoutingFields {
  readonly model: unknown;
  readonly stream: unknown;
}

/** Why a call has no answer. */
interface CallError {
  readonly code: string;
  readonly status: number;
  readonly details: { readonly retryAfterSeconds?: number };
}

export interface TokenCounting {
  /** The path below a provider's base URL. */
  requestPath(model: string, query: string): string;
  /** Encodes the counting request for a call. */
  encodeRequest(call: JsonObject, model: string): JsonObject;
  /** The token count in a response. */
  readCount(encodeAnswer: JsonObject): unknown;
  answer(tokens: number): JsonObject;
}

/** A path of the data plane. */
export type WireRoute = ModelRoute | RelayRoute;

/** A path for calls in the canonical form. */
interface ModelRoute {
  /** A `*` matches anything: the format parses it itself. */
  readonly path: string;
  readonly summary: string;
  /** Whether it makes calls, or only counts their tokens. */
  readonly purpose: 'answer' | 'count';
}

export interface EncodedRequest {
  readonly body: Uint8Array;
  /** Fields that the format can't express. */
  readonly dropped: readonly string[];
}

/** Estimates tokens from bytes; `npm run eval:estimates` compares them with recorded calls. */
export interface TokenEstimates {
  /** The request fields whose texts a model reads. */
  readonly textFields: readonly string[];
  /** The field that may contain a schema for the answer. */
  readonly schemaField: string;
  /** The request fields that limit the output, each as a name or as the names of a field and one in it. */
  readonly outputLimits: readonly (readonly [string, string?])[];
  /** Tokens of every request besides its texts. */
  readonly requestTokens: number;
  /** Tokens of each text besides its length; roles and types are texts as well. */
  readonly textTokens: number;
  /** For texts. */
  readonly bytesPerToken: number;
  /** Tokens that a line break or a quote adds. */
  readonly escapeTokens: number;
  /** Tokens that tools add by their presence, and how they are rendered for the model. */
  readonly toolsTokens: number;
  readonly toolBytesPerToken: number;
  /** The requested schema of an answer. */
  readonly schemaBytesPerToken: number;
  /** Tokens of an image or a document, whatever its size. */
  readonly mediaTokens: number;
  /** Tokens of every answer besides its content. */
  readonly answerTokens: number;
  /** The ratio of actual tokens to those estimated from the content's length. */
  readonly tokensPerExpected: number;
  /** Tokens of a tool call besides its arguments. */
  readonly callTokens: number;
}

export interface UsageOptIn {
  /** The fields that make a request ask for usage; undefined if it does already. */
  optInFields(fieldReader: FieldReader): JsonObject | undefined;
  /** Removes what is in a stream only because the gateway asked for it. */
  stripUsage(): ByteFilter;
}

/** Decodes bytes, split anywhere, into events. */
export interface ReplyDecoder {
  push(chunk: Uint8Array): readonly ReplyEvent[];
  end(): readonly ReplyEvent[];
  /** Whether the answer is complete; bytes that end before are a broken answer. */
  readonly finished: boolean;
  /** The content that it skipped. */
  readonly unread: UnreadContent;
}

/** The approximate amount of content. */
export interface UnreadContent {
  /** Estimated from the length. */
  readonly tokens: number;
  /** Tool calls. */
  readonly calls: number;
}

/** Encodes events into bytes. */
export interface ReplyEncoder {
  push(event: ReplyEvent): Uint8Array | undefined;
  end(): Uint8Array | undefined;
}
