import type { GatewayError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { FieldReader } from './lazy-json-object.ts';
import type { Answer } from './message.ts';

/** One call of a conversation, kept for a client that goes on from its answer by name. */
export interface Turn {
  /** The answer that this one went on from. */
  readonly previous?: string;
  /** What was asked and what was answered, as the client's format writes it. */
  readonly items: readonly JsonObject[];
  /** The provider that knows the answer by this name, too. */
  readonly keptBy?: string;
}

/** Turns by the name of their answer: for a while, as far as there is room, and each scope for itself. */
export interface TurnStore {
  find(scope: string, id: string): Promise<Turn | undefined>;
  save(scope: string, id: string, turn: Turn): Promise<void>;
}

/** What a request names instead of saying it again. */
interface TurnReferences {
  /** The answer that it goes on from. */
  readonly previous: string | undefined;
  /** Answers of which it takes single items. */
  readonly quotedIds: readonly string[];
}

/** How a format lets its clients go on from an earlier answer without sending the conversation again. */
export interface Continuation {
  /** The answer that a request goes on from. */
  previousIdIn(fieldReader: FieldReader): string | undefined;
  referencesIn(body: JsonObject): TurnReferences;
  /** The request with everything in it that it only named; `quoted` are items that it may refer to. */
  expandRequest(body: JsonObject, history: readonly JsonObject[], quoted: readonly JsonObject[]): JsonObject;
  /** The request with nothing in it but the earlier turns. */
  historyRequest(body: JsonObject, history: readonly JsonObject[]): JsonObject;
  /** Whether the client may want to go on from the answer. */
  isContinuable(fieldReader: FieldReader): boolean;
  /** What a call adds to its conversation. */
  turnOf(body: JsonObject, answer: Answer): { readonly id: string; readonly turn: Turn };
  /** For a client that goes on from an answer which nobody has. */
  notFoundError(id: string): GatewayError;
}
