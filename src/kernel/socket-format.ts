import type { HeaderList } from '../lib/headers.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ClientPresence } from './client-presence.ts';
import type { LazyJsonObject } from './json/lazy-json-object.ts';

/** How clients of a format make calls over a WebSocket: one message for each call, and one for each event of its answer. */
export interface SocketFormat {
  readonly path: string;
  readonly summary: string;
  /** The lane that a message names. */
  laneOf(message: LazyJsonObject): string | undefined;
  /** Reads a message. Throws if it is invalid. */
  readMessage(message: LazyJsonObject): SocketMessage;
  /** The headers of a call: those of the upgrade request that apply, and those that the message sets. */
  callHeaders(upgradeHeaders: HeaderList, message: LazyJsonObject): HeaderList;
  /** The headers of an upgrade request that are about the WebSocket itself. */
  handshakeHeaders(upgradeHeaders: HeaderList): HeaderList;
  /** The messages that answer a prepared turn. */
  answerPrepared(message: LazyJsonObject, id: string): PreparedAnswer;
  /** What the last message of an answer adds to its conversation; undefined for any other message. */
  readOutput(message: string): SocketOutput | undefined;
  /** The headers that a response over HTTP would have, for clients that ask for them. */
  encodeHeaders(headers: HeaderList, lane: string | undefined): string;
  /** An error in place of an answer. */
  encodeError(error: SocketError, lane: string | undefined): string;
  /** The message for a provider that stands for the body of a call over HTTP. */
  encodeCall(httpBody: Uint8Array, lane: string | undefined): Uint8Array;
  /** Reads a message of a provider; undefined if it is no event. */
  readEvent(message: Buffer): SocketEvent | undefined;
}

/** A message of a provider. */
export interface SocketEvent {
  readonly lane: string | undefined;
  /** The same event in a stream over HTTP. */
  readonly frame: Uint8Array;
  /** Whether it is the last of its answer. */
  readonly isLast: boolean;
  /** The id of the answer that it completes, which can be continued on the same WebSocket. */
  readonly answerId: string | undefined;
  /** The response that a call over HTTP would get in its place. */
  readonly error: SocketError | undefined;
  /** Why a call that is right can't be made on this connection: it is too old, or has forgotten the previous answer. */
  readonly fault: 'connection' | 'previous' | undefined;
}

type SocketMessage = SocketRequest | { readonly kind: 'unsupported'; readonly answer: string };

/** A message that asks for an answer. */
export interface SocketRequest {
  readonly kind: 'request';
  /** The answer that it continues from. */
  readonly previous: string | undefined;
  /** Whether it only prepares a turn: the model is not called. */
  readonly isPrepared: boolean;
  /** Whether the answer can be continued on this WebSocket only. */
  readonly isKeptOnSocket: boolean;
  /** Its input items, separated by commas. */
  readonly items: Buffer;
  /** The body of the same call over HTTP, with earlier items before its own. */
  httpBody(history: readonly Buffer[], previous: string | undefined): Buffer;
}

interface PreparedAnswer {
  readonly id: string;
  readonly messages: readonly string[];
}

export interface SocketOutput {
  /** The id of the answer. */
  readonly id: string;
  /** The output items, separated by commas. */
  readonly items: Buffer;
  /** Whether they replace everything before them. */
  readonly replacesHistory: boolean;
}

/** An error response. */
export interface SocketError {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: JsonObject;
}

/** The WebSocket message that made a call. */
export interface SocketCall {
  /** The lane: calls of one lane run one after the other. */
  readonly lane: string | undefined;
  /** The message as it was received. */
  readonly message: Buffer;
  /** The answer that the message continues from, if the body of the call has its conversation in place of the id. */
  readonly expanded: string | undefined;
  /** Whether the body of the call has more than the message: a stored prompt. */
  readonly isRewritten?: true;
  /** Whether the client's WebSocket is still open. */
  readonly connection: ClientPresence;
  /** Headers for a WebSocket to the provider. */
  readonly handshakeHeaders: HeaderList;
}
