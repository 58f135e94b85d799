import type { JsonObject } from '../lib/json.ts';
import type { Turn } from './continuation.ts';
import type { FieldReader } from './json/lazy-json-object.ts';
import type { Units, Usage } from './message.ts';
import type { NanoUsd } from './money.ts';
import type { CostBound } from './rate-card.ts';
import type { StoredObjectOrigin, StoredObjectRoute } from './stored-object.ts';

/** An endpoint without a canonical form. Its bytes are relayed in both directions; it is metered and logged like a call. */
export interface RelayRoute {
  readonly purpose: 'relay';
  /** Its name: in the data of the providers that have it, in the request log and in metrics. */
  readonly endpoint: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A `*` matches the rest of the path, which is appended to the provider's own path of the endpoint. */
  readonly path: string;
  readonly summary: string;
  /** The header that tells its requests from those of another format at the same path. */
  readonly header?: string;
  /**
   * `json` is scanned for the field `model`. `form` is a multipart form with a field `model`, which is streamed; `bytes` is
   * streamed unread.
   */
  readonly body: 'json' | 'form' | 'bytes' | 'none';
  /** The query that the provider gets; without it, the client's own. */
  queryFor?(query: string): string;
  /** The model in the path, for bodies without one. */
  modelIn?(path: string): string | undefined;
  /** The model of calls that name none. */
  readonly defaultModel?: string;
  /** For an endpoint without a model: the provider of its calls, unless the header `x-weir-provider` names another. */
  readonly defaultProvider?: string;
  /** For an endpoint of stored answers: what it does with one that the gateway stores itself. */
  readonly storedAnswer?: 'retrieve' | 'delete' | 'cancel' | 'listInput';
  /** The provider's own path, for calls that are passed through to paths which the gateway does not know. */
  readonly providerPath?: string;
  /** For an endpoint of objects that belong to the account which made them: what it does with them. */
  readonly storedObject?: StoredObjectRoute;
  /** An answer that the gateway stores, for formats other than Responses; a string is a stream. */
  encodeStored?(turn: Turn, query: URLSearchParams): JsonObject | string;
  /** The minimal request, as JSON Schema. */
  readonly bodySchema?: JsonObject;
  /** The request fields whose texts a model reads, for answers without usage. */
  readonly textFields?: readonly string[];
  /** For modules that look into texts. Without it, they can't protect calls to this endpoint. */
  readonly texts?: RelayTexts;
  /** What the request shows of what it is billed for, such as its number of pictures. Answers that say otherwise count. */
  unitsOf?(request: RelayRequest): Units;
  /** An estimate of the usage, for answers that report none. */
  estimate?(request: RelayRequest): Usage | undefined;
  /** The usage in an answer, or in one frame of a stream. Without it, nothing is read from answers. */
  usageOf?(answer: JsonObject): Usage | undefined;
  /** Whether it reads nothing but the field `usage`, so that the end of a long answer is enough. */
  readonly isUsageAlone?: true;
  /** `tokens` is billed by usage, with its units, and the model's rate card; `free` costs nothing. A function returns undefined if it can't tell. */
  readonly price: 'tokens' | 'free' | ((call: RelayedCall) => NanoUsd | undefined);
  /** For an endpoint that answers a list of inputs one by one: requests are split, and answers joined. */
  readonly inputList?: InputList;
  /** Whether a form has to have arrived for its bound. */
  readonly isBoundByForm?: true;
  /** The most that a call can use or cost, known before it is sent. Without it, budgets hold a flat amount for the call. */
  bound?(request: RelayRequest): RelayBound;
}

/** Where the texts of an endpoint are. */
export interface RelayTexts {
  /** Request fields that a model reads: what a user writes, or documents of anybody. All other strings count as texts, too. */
  readonly request: Readonly<Record<string, 'message' | 'document'>>;
  /** Fields of an answer, at any depth, with texts. */
  readonly answer?: readonly string[];
  /** Whether the texts of a list are pieces of one text, such as words and segments. */
  readonly isContinuous?: true;
  /** The field of a stream with pieces of a text, which frames with all of it repeat later. */
  readonly delta?: string;
  /** What the files of its form are. */
  readonly files?: 'audio' | 'image';
}

/** How the inputs of an endpoint, such as the texts of embeddings, are found in requests, and their results in answers. */
export interface InputList {
  /** Undefined if the request has no inputs that can be told apart. */
  inputsOf(fields: FieldReader): readonly unknown[] | undefined;
  /** The request fields for other inputs. */
  fieldsFor(inputs: readonly unknown[]): JsonObject;
  /** The results in the order of the inputs; undefined if the answer hasn't one for each. */
  resultsOf(answer: JsonObject, inputs: number): readonly JsonObject[] | undefined;
  /** One answer with these results. `answers` are those that the results come from: none if all were cached. */
  join(results: readonly JsonObject[], answers: readonly JsonObject[], model: string): JsonObject;
}

/** How a provider's endpoint differs from the API of the relay route. */
export interface EndpointForm {
  /** The most inputs of one request. */
  readonly inputsMax?: number;
  /** Whether requests with these fields have to be translated. All others are sent as they are. */
  isNeeded?(fields: FieldReader): boolean;
  /** A request in the provider's form. Rejects what the provider has no form for. */
  encode?(body: JsonObject): JsonObject;
  /** The answer in the form of the route. `body` is the request that was encoded. */
  decode?(answer: JsonObject, body: JsonObject): JsonObject;
}

/** The most that a call can use, or its maximum cost. */
type RelayBound =
  | Pick<CostBound, 'inputTokens' | 'outputTokens' | 'hasNoAudio' | 'units'>
  | { readonly nanoUsd: NanoUsd };

/** A relayed request before it is sent. */
export interface RelayRequest {
  readonly route: RelayRoute;
  readonly model: string;
  /** Where the object of the call was made: the call goes to the same provider, with the same key if the account still has it. */
  readonly origin?: StoredObjectOrigin | undefined;
  /** Whether the gateway itself answers: then no provider gets the content. */
  readonly isOwn?: boolean | undefined;
  /** The models of the calls in a batch. */
  readonly models?: readonly string[] | undefined;
  /** The fields of a JSON body, and the text fields of a form that have arrived; none of any other body. */
  readonly fields: FieldReader;
  readonly form?: RelayForm | undefined;
  /** Undefined for a streamed body of unknown length. */
  readonly bodyBytes: number | undefined;
  /** The fields in which it differs from the client's body. */
  readonly changes?: JsonObject;
}

/** A form that is sent on while it arrives. */
export interface RelayForm {
  /** Receives the rest of the form, before it is sent: in memory, and beyond a limit on disk. */
  complete(): Promise<void>;
  /** The text fields that have arrived; a list for a name that repeats. */
  readonly texts: Readonly<Record<string, string | readonly string[]>>;
  /** The number of its files that have arrived. */
  readonly files: number;
}

/** The same request with other fields. */
export function changeRelay(relayRequest: RelayRequest, changes: JsonObject): RelayRequest {
  const { fields } = relayRequest;
  let bytes: number | undefined;
  return {
    ...relayRequest,
    fields: { get: (name) => (Object.hasOwn(changes, name) ? changes[name] : fields.get(name)) },
    get bodyBytes() {
      bytes ??= changedBytes(relayRequest, changes);
      return bytes;
    },
    changes: { ...relayRequest.changes, ...changes },
  };
}

/** At least the bytes of the changed fields: a list of numbers may be written shorter than here. */
function changedBytes({ bodyBytes = 0, fields }: RelayRequest, changes: JsonObject): number {
  let added = 0;
  let least = 0;
  for (const [name, value] of Object.entries(changes)) {
    const size = sizeOf(value);
    least += size;
    added += size - sizeOf(fields.get(name));
  }
  return Math.max(bodyBytes + added, least);
}

function sizeOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** A relayed call that was answered. */
interface RelayedCall extends RelayRequest {
  readonly usage: Usage;
}

/** Whether the tokens of a call can be estimated from its request. */
export function isEstimable({ price, body, textFields }: RelayRoute): boolean {
  return price === 'tokens' && body === 'json' && textFields !== undefined;
}

/** The part of a path where its route has a wildcard. */
export function wildcardIn({ path: pattern }: RelayRoute, path: string): string {
  const [start = '', end = ''] = pattern.split('*');
  const bare = path.endsWith('/') ? path.slice(0, -1) : path;
  return bare.slice(start.length, bare.length - end.length);
}
