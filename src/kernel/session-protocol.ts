import type { HeaderList } from '../lib/headers.ts';
import type { GatewayError } from './errors.ts';
import type { Usage } from './message.ts';
import type { RelayRoute } from './relay.ts';
import type { WireFormat } from './wire-format.ts';

/**
 * An API in which a client and a model exchange messages over one WebSocket for as long as they like, such as OpenAI's Realtime
 * API. Messages pass unchanged. The protocol says which of them begin and end responses, and what those cost.
 */
export interface SessionProtocol {
  /** The endpoint of its responses, which providers with the API list. */
  readonly route: RelayRoute;
  readonly paths: readonly string[];
  /** Other spellings of these, which clients use. */
  readonly otherPaths?: readonly string[];
  /** The format of its errors. */
  readonly wire: WireFormat;
  readHandshake(headers: HeaderList, query: string): SessionHandshake;
  /** For a protocol whose first message names the model. Throws if the message is no such one. */
  readSetup?(message: Buffer): SessionSetup;
  /** What the provider gets after the path of its endpoint, which begins the client's path or replaces it. */
  providerTarget(target: ProviderTarget): string;
  createReader(setup: SessionSetup): SessionReader;
  /** The last message of a session that the gateway ends, if the protocol has one. */
  encodeEnd(error: GatewayError, id: string): string | undefined;
  /** An error that ends nothing; undefined if the protocol has none. */
  encodeError(error: GatewayError, id: string): string | undefined;
  closeCodeOf(error: GatewayError): number;
}

/** The request that opens a session. */
interface SessionHandshake {
  /** With credentials in the headers where other requests have them. */
  readonly headers: HeaderList;
  /** One of the subprotocols that the client offers. */
  readonly protocol: string | undefined;
  /** Undefined if the first message has it. */
  readonly setup: SessionSetup | undefined;
}

/** What a session is for. */
export interface SessionSetup {
  /** As the client names it. */
  readonly model: string;
  /** Whether it writes down what is said, and the model may change with the settings. */
  readonly isTranscription?: boolean;
  /** The most that a response may write, if it says so. */
  readonly outputTokens?: number | undefined;
  /** The first message, which the provider gets. Its model may have to be replaced. */
  withModel?(model: string): Buffer;
}

export interface ProviderTarget {
  readonly base: string;
  readonly setup: SessionSetup;
  /** The provider's name of the model. */
  readonly model: string;
  readonly path: string;
  readonly query: string;
}

/** Reads the messages of one session as they pass. */
export interface SessionReader {
  readClient(message: Buffer, isBinary: boolean): ClientMessage;
  readProvider(message: Buffer, isBinary: boolean): readonly SessionEvent[];
  /** The most tokens that the model may read for the next response. */
  readonly contextTokens: number;
  /** The most that it may write; undefined without a limit of the session. */
  readonly outputTokens: number | undefined;
  /** The model that responses are made with, as the session's settings name it; undefined for that of the setup. */
  readonly model: string | undefined;
  /** Other models that the settings name, such as one for transcription. */
  readonly otherModels: readonly string[];
  /** What a response without reported usage has used so far. */
  estimate(): Usage;
}

/** What a message of the client means. */
export interface ClientMessage {
  /** Whether it asks for a response. */
  readonly asks: boolean;
  /** Why it must not reach the provider. */
  readonly refusal?: GatewayError;
}

/** What a message of the provider means. */
export type SessionEvent =
  | { readonly kind: 'started'; readonly id: string }
  /** The first content of the response that was started last. */
  | { readonly kind: 'content' }
  | ({ readonly kind: 'ended'; readonly id: string } & ResponseOutcome)
  /** Usage beside responses. */
  | { readonly kind: 'used'; readonly usage: Usage; readonly model: string | undefined }
  /** An error, perhaps in place of a response. */
  | { readonly kind: 'error' };

export interface ResponseOutcome {
  readonly usage: Usage | undefined;
  /** The model that answered, if it isn't that of the session. */
  readonly model?: string | undefined;
  readonly stopReason?: string | undefined;
  /** Why it failed. */
  readonly failure?: { readonly type: string; readonly message: string } | undefined;
}
