import type { Exchange } from './exchange.ts';
import type { ReplyObserver } from './reply/reply-observers.ts';

/** The body of a request to a provider. */
export interface SentRequest {
  readonly provider: string;
  readonly model: string;
  readonly wire: string;
  readonly body: Uint8Array;
}

/** Records a call while it runs. Its methods never throw. */
export interface CallRecorder {
  /** Called before each attempt is sent. */
  onSent(sentRequest: SentRequest): void;
  /** Called with what a redacting module passes on. */
  onRedacted(exchange: Exchange): void;
  /** Called before a module puts redacted values back into a reply. Returns an observer of the reply without them. */
  onRestored(): ReplyObserver;
}
