import type { Exchange } from './exchange.ts';
import type { Answer, ChatRequest } from './message.ts';
import type { ReplyObserver } from './reply/reply-observers.ts';

/** The body of a request to a provider. */
export interface SentRequest {
  readonly provider: string;
  readonly model: string;
  readonly wire: string;
  readonly body: Uint8Array;
}

/** What is recorded of a call, as a redacting module passed it on. Undefined for what is withheld, too large or not readable. */
export interface RecordedContent {
  readonly request: ChatRequest | undefined;
  readonly answer: Answer | undefined;
}

/** Records a call while it runs. Its methods never throw. */
export interface CallRecorder {
  /** Called before each attempt is sent. */
  onSent(sentRequest: SentRequest): void;
  /** Called with what a redacting module passes on. */
  onRedacted(exchange: Exchange): void;
  /** Called before a module puts redacted values back into a reply. Returns an observer of the reply without them. */
  onRestored(): ReplyObserver;
  /** Calls back when the call is recorded; `read` decodes it, up to a size. */
  onClosed(then: (read: (bytesMax: number) => RecordedContent) => void): void;
}
