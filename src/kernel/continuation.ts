import type { JsonObject } from '../lib/json.ts';
import type { GatewayError } from './errors.ts';
import type { FieldReader, LazyJsonObject } from './json/lazy-json-object.ts';
import type { Answer } from './message.ts';
import type { Provider } from './provider.ts';

/** One turn of a conversation, stored for a client that continues from its answer by id. */
export interface Turn {
  /** The id of the previous answer. */
  readonly previous?: string;
  /** The input and the output items, in the client's format. */
  readonly items: readonly JsonObject[];
  /** Request fields of the whole conversation, on its first turn. */
  readonly shared?: JsonObject;
  /** The answer as the client got it, without its output. */
  readonly answer?: JsonObject;
  /** The number of items at the end that are the answer's output. */
  readonly outputCount?: number;
  /** What was left out of the request. */
  readonly dropped?: readonly string[];
  /** Whether the answer is still being made. */
  readonly isPending?: boolean;
  /** Until when a process has the lease for an answer in the background. */
  readonly leasedUntilMs?: number;
  /** The provider that also knows the answer by this id. */
  readonly keptBy?: string;
}

/** Stores turns by the id of their answer: for a limited time, within a memory limit, separately for each scope. */
export interface TurnStore {
  find(scope: string, id: string): Promise<Turn | undefined>;
  save(scope: string, id: string, turn: Turn): Promise<void>;
  delete(scope: string, id: string): Promise<void>;
}

/** How clients of a format continue from an earlier answer without sending the conversation again. */
export interface Continuation {
  /** Whether a request may continue from an answer, or be continued from. */
  isUsed(fieldReader: FieldReader): boolean;
  /** Whether a request asks its provider for more than an answer: to store a new conversation, to work in the background. */
  begins(fieldReader: FieldReader): boolean;
  /** Whether a provider of this format stores answers. */
  isStoredBy(provider: Provider): boolean;
  /** The id of the answer that a request continues from. */
  previousIdIn(fieldReader: FieldReader): string | undefined;
  /** Whether a request may refer to single items of earlier answers. */
  mayQuote(fields: LazyJsonObject): boolean;
  /** The items of a request's newest turn. */
  itemsOf(body: JsonObject): readonly JsonObject[];
  /** The answers of the gateway whose single items these items refer to. */
  quotedIdsIn(items: readonly JsonObject[]): readonly string[];
  /** The items with those of `quoted` that they refer to in place of the references. */
  resolve(items: readonly JsonObject[], quoted: readonly JsonObject[]): readonly JsonObject[];
  /** The items without ids that only the gateway knows. */
  withoutOwnIds(items: readonly JsonObject[]): readonly JsonObject[];
  /** The request with these items in place of its own, and of the answer that it continues from. */
  withItems(body: JsonObject, items: readonly JsonObject[], shared?: JsonObject): JsonObject;
  /** For formats whose clients may read an answer later. */
  readonly background?: BackgroundMode;
  /** Whether the client may continue from the answer. */
  isContinuable(fieldReader: FieldReader): boolean;
  /** The id of an answer that the gateway stores; `name` is unique. */
  answerIdOf(name: string): string;
  /** The turn that a call adds to its conversation. */
  turnOf(body: JsonObject, answer: Answer): { readonly id: string; readonly turn: Turn };
  /** The error for an answer that is not stored. */
  notFoundError(id: string): GatewayError;
}

/** How clients of a format ask for an answer that they read later. */
export interface BackgroundMode {
  isRequested(fieldReader: FieldReader): boolean;
  /** Whether a provider is still making this answer. */
  isRunning(answer: JsonObject): boolean;
  /** Rejects a request with fields that the background excludes. */
  check(fieldReader: FieldReader): void;
  /** The id of the answer, and its turn before it is complete; `thrown` says why it failed. */
  begin(
    body: JsonObject,
    answer: { readonly name: string; readonly model: string },
  ): {
    readonly id: string;
    /** What the client gets at first. */
    readonly queued: JsonObject;
    turn(status: 'in_progress' | 'failed' | 'cancelled', thrown?: unknown): Turn;
  };
}
