import type { JsonObject } from '../lib/json.ts';
import type { ClientRequest } from './client-request.ts';
import type { Block, ChatRequest } from './message.ts';
import type { Target } from './provider.ts';

/** How clients of a format have their conversation replaced with a summary, which they send back as an opaque item. */
export interface Compaction {
  /** Whether the request may ask for a compaction or contain one, without parsing it. */
  mayConcern(clientRequest: ClientRequest): boolean;
  /** Whether the request asks for a compaction. */
  isRequested(clientRequest: ClientRequest): boolean;
  /** Whether the target's provider makes compactions itself. */
  isMadeBy(target: Target): boolean;
  /** The request with the gateway's own compactions as text; `open` decrypts one. */
  openAll(request: ChatRequest, open: (sealed: string) => string): ChatRequest;
  /** The request for a summary, for models of other providers. */
  askForSummary(request: ChatRequest): ChatRequest;
  /** The items of the conversation that the answer repeats in front of the compaction. */
  retainedItems(request: ChatRequest, callId: string): readonly JsonObject[];
  /** The compaction; without `sealed`, as it is announced before the summary is complete. */
  item(callId: string, sealed?: string): JsonObject;
  /** An item as a block of an answer. */
  toBlock(item: JsonObject): Block;
  /** An event that tells the client of progress. */
  readonly progress: JsonObject;
}
