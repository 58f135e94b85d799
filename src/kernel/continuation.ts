import type { GatewayError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Answer } from './message.ts';
import type { Fields } from './outline.ts';

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
export interface Turns {
  recall(scope: string, id: string): Promise<Turn | undefined>;
  keep(scope: string, id: string, turn: Turn): Promise<void>;
}

/** What a request names instead of saying it again. */
interface Named {
  /** The answer that it goes on from. */
  readonly previous: string | undefined;
  /** Answers of which it takes single items. */
  readonly quoted: readonly string[];
}

/** How a format lets its clients go on from an earlier answer without sending the conversation again. */
export interface Continuation {
  /** The answer that a request goes on from. */
  previousIn(fields: Fields): string | undefined;
  namedIn(body: JsonObject): Named;
  /** The request with everything in it that it only named; `quoted` are items that it may refer to. */
  writtenOut(body: JsonObject, history: readonly JsonObject[], quoted: readonly JsonObject[]): JsonObject;
  /** The request with nothing in it but the earlier turns. */
  before(body: JsonObject, history: readonly JsonObject[]): JsonObject;
  /** Whether the client may want to go on from the answer. */
  keeps(fields: Fields): boolean;
  /** What a call adds to its conversation. */
  turnOf(body: JsonObject, answer: Answer): { readonly id: string; readonly turn: Turn };
  /** For a client that goes on from an answer which nobody has. */
  missing(id: string): GatewayError;
}
