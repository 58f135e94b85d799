import type { WireFormat } from '../../../src/kernel/wire-format.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { RequestOutline } from './asked/asked.ts';
import { chat } from './chat.ts';
import type { Outcome } from './facts.ts';
import { gemini } from './gemini.ts';
import { interactions } from './interactions.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

/** A format, read a second time by the plainest code there is, and by its vendor's own client. */
export interface Format {
  /** The name of its recordings. */
  readonly api: string;
  readonly wire: WireFormat;
  /** How the path ends of calls that are this API's main one. */
  readonly endpoint: RegExp;
  /** Who speaks it, by the name that stands before a model's. */
  readonly provider: string;
  /** The body that was recorded, with what stood in its address: the model, and whether a stream was asked for. */
  recorded?(body: JsonObject, url: string): JsonObject;
  /** Where a body is sent, and what of it. */
  sent(body: JsonObject): SentRequest;
  whole(body: JsonObject): Outcome;
  streamed(frames: readonly JsonObject[]): Outcome;
  /** What a request in this format says. */
  asked(body: JsonObject): RequestOutline;
  /** The next request of a client that was given this answer: it has all of it, and what comes after. */
  continued(body: JsonObject, answer: JsonObject): JsonObject;
  /** Asks with the vendor's SDK; resolves to the whole answer as that gives it. */
  ask(asking: Asking): Promise<JsonObject>;
}

interface SentRequest {
  readonly path: string;
  readonly body: JsonObject;
}

export interface Asking {
  readonly url: string;
  readonly body: JsonObject;
  readonly stream: boolean;
}

export const formats: readonly Format[] = [messages, chat, responses, gemini, interactions];
