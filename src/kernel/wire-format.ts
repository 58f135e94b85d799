import type { Acceptance } from './acceptance.ts';
import type { ClientRequest } from './client-request.ts';
import type { Continuation } from './continuation.ts';
import type { ErrorCode } from './errors.ts';
import type { HeaderList } from './headers.ts';
import type { JsonObject } from './json.ts';
import type { FieldReader } from './lazy-json-object.ts';
import type { ChatRequest, ReplyEvent } from './message.ts';
import type { ByteFilter } from './reply/filter-bytes.ts';

/** How an answer's bytes are laid out: one JSON document, or server-sent events. */
export type Framing = 'json' | 'sse';

/** What a reader of a reply wants to see; `milestones` spares the parsing of every text delta. */
export type Interest = 'milestones' | 'everything';

/** What is spoken to providers: how requests are written and answers read. */
export interface ProviderFormat {
  readonly name: string;
  /** Headers that a caller of this API has to send, where the client's own don't do. */
  readonly ownHeaders: HeaderList;
  /** A request without a limit of output is refused. */
  readonly requiresOutputLimit?: true;
  /** For calls whose usage nobody tells. */
  readonly estimates: TokenEstimates;
  /** For formats whose streams tell their usage only to those who ask for it. */
  readonly usageOptIn?: UsageOptIn;
  /** The fields of a body that name its model. */
  modelFields(model: string): JsonObject;
  /** Where a call goes, below a provider's base address; `query` is what the client's own had, where it speaks this format. */
  requestPath(model: string, streamed: boolean, query: string): string;
  /**
   * `received` is given when the request came in this same format: fields that did not change keep their bytes. Without
   * `accepts` all is written that the format can say.
   */
  encodeRequest(request: ChatRequest, clientRequest?: ClientRequest, accepts?: Acceptance): EncodedRequest;
  /** The headers with what a request needs besides, where a module has changed it. */
  headersFor?(request: ChatRequest, headers: HeaderList): string[];
  replyDecoder(framing: Framing, interest: Interest): ReplyDecoder;
  /** How the tokens of a call are counted that isn't made, where the API can do that. */
  readonly counting?: TokenCounting;
}

/** A provider API's language, used from both sides: the server reads requests with it, the upstream writes them. */
export interface WireFormat extends ProviderFormat {
  /** Where clients find it at this gateway. */
  readonly routes: readonly WireRoute[];
  /** The least that a request has, as JSON Schema. */
  readonly bodySchema: JsonObject;
  /** Request fields that say nothing about the answer itself: whose it is, where it is filed, how it is laid out. */
  readonly bookkeeping: readonly string[];
  /** How the names of this API's own request headers begin: each of them may change an answer but the `harmless` ones. */
  readonly apiHeaders: { readonly prefix: string; readonly harmless: readonly string[] };
  /** Request fields that name what a provider keeps and the call changes: an answer from memory would leave that undone. */
  readonly stateFields: readonly string[];
  /** Whether a request says nothing but what the canonical shape has a place for: then it is the same call in every format. */
  isPlain(body: JsonObject): boolean;
  /** What of a query can change the answer; all of it where nothing is said. */
  significantQuery?(query: string): string;
  /** What a silent stream may carry without the client taking it for content. */
  readonly keepAlive: Uint8Array;
  /** Clients of this dialect fail at comments in a stream. */
  readonly rejectsComments?: true;
  /** For formats whose clients may name an earlier answer instead of sending the conversation again. */
  readonly continuation?: Continuation;
  /**
   * A whole answer in the framing that is wanted, with everything in it that only this format can say; undefined where it can't be
   * read. Formats without it have their answers read and written anew.
   */
  reframe?(
    whole: { readonly framing: Framing; readonly body: Uint8Array },
    wanted: Framing,
  ): Uint8Array | undefined;
  /** The mark by which agents that speak this format tell their sessions apart, where a call has one. */
  session?(clientRequest: ClientRequest): string | undefined;
  /** How a block of instructions begins in which agents tell who sends a call. */
  readonly attribution?: string;
  /** What a call asks for, as its path, its query and its body say it. */
  readRouting(fieldReader: FieldReader, path: string, query: string): RoutingFields;
  /** `asked` is given where the body alone doesn't say it all. */
  decodeRequest(body: JsonObject, asked?: RoutingFields): ChatRequest;
  replyEncoder(framing: Framing, asked: ClientRequest): ReplyEncoder;
  /** This dialect's name for an error with this status. */
  errorType(status: number, code: ErrorCode): string;
  /** This dialect's own codes for what its clients know by them. */
  readonly errorCodes?: Readonly<Partial<Record<ErrorCode, string>>>;
  /** The body of an error, where clients of this dialect read none but their own. */
  errorBody?(envelope: JsonObject, error: CallError): JsonObject;
  /** An error in the middle of a stream. */
  errorFrame(envelope: JsonObject): Uint8Array;
  /** For a client that wants a stream, and not as events. */
  layout?(asked: ClientRequest): StreamLayout | undefined;
}

/** Writes the frames of a stream in another way, each as soon as it is whole. */
export interface StreamLayout extends ByteFilter {
  readonly contentType: string;
  /** What may stand between frames without being one. */
  readonly keepAlive: Uint8Array;
  /** An error, behind which nothing comes. */
  encodeError(envelope: JsonObject): Uint8Array;
}

/** Nobody has checked it. */
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
  /** Where it is asked, below a provider's base address. */
  requestPath(model: string, query: string): string;
  /** The question, made of a call. */
  encodeRequest(call: JsonObject, model: string): JsonObject;
  /** How many tokens an answer tells. */
  readCount(encodeAnswer: JsonObject): unknown;
  answer(tokens: number): JsonObject;
}

/** A path of the data plane. */
export interface WireRoute {
  /** A `*` stands for anything: the format reads it by itself. */
  readonly path: string;
  readonly summary: string;
  /** Whether calls are made there, or only the tokens counted that they would have. */
  readonly purpose: 'answer' | 'count';
}

export interface EncodedRequest {
  readonly body: Uint8Array;
  /** What the format can't express, by field name. */
  readonly dropped: readonly string[];
}

/** How bytes become tokens, about; `npm run eval:estimates` prints how near these come to recorded calls. */
export interface TokenEstimates {
  /** The fields of a request whose texts a model reads. */
  readonly textFields: readonly string[];
  /** The field in which a schema for the answer may stand. */
  readonly schemaField: string;
  /** What every request has besides its texts. */
  readonly requestTokens: number;
  /** What each text of a request has besides its length: who speaks, and of what kind it is, are texts as well. */
  readonly textTokens: number;
  /** In texts. */
  readonly bytesPerToken: number;
  /** What a break or a quote in a text adds to it. */
  readonly escapeTokens: number;
  /** What tools add to a request by being there, and how they are written out for the model. */
  readonly toolsTokens: number;
  readonly toolBytesPerToken: number;
  /** The schema that an answer is asked to have. */
  readonly schemaBytesPerToken: number;
  /** What a picture or a document counts, whatever its size. */
  readonly mediaTokens: number;
  /** What every answer has besides its content. */
  readonly answerTokens: number;
  /** How many tokens come for each that the length of the content lets one expect. */
  readonly tokensPerExpected: number;
  /** What a call of a tool has besides its arguments. */
  readonly callTokens: number;
}

export interface UsageOptIn {
  /** The fields that make a request with these ask; undefined where it does already. */
  optInFields(fieldReader: FieldReader): JsonObject | undefined;
  /** Takes out of a stream what is in it only because somebody asked. */
  stripUsage(): ByteFilter;
}

/** Turns bytes, cut anywhere, into events. */
export interface ReplyDecoder {
  push(chunk: Uint8Array): readonly ReplyEvent[];
  end(): readonly ReplyEvent[];
  /** Whether the answer has said that it is over; bytes that end before are a broken answer. */
  readonly finished: boolean;
  /** What it passed over without reading it. */
  readonly unread: UnreadContent;
}

/** How much content there was, about. */
export interface UnreadContent {
  /** By its length. */
  readonly tokens: number;
  /** Of tools. */
  readonly calls: number;
}

/** Turns events into bytes. */
export interface ReplyEncoder {
  push(event: ReplyEvent): Uint8Array | undefined;
  end(): Uint8Array | undefined;
}
