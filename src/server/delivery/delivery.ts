import type { OpenReceipt } from '../../calls/call-receipts.ts';
import type { InFlightCall } from '../../calls/in-flight-call.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { ReplyBytes } from '../../kernel/reply/reply-bytes.ts';
import type { HeaderList } from '../../lib/headers.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestContext } from '../respond.ts';

/** An answer that is being delivered to its client. */
export interface Delivery {
  readonly res: HttpResponse;
  readonly context: RequestContext;
  readonly inFlightCall: InFlightCall;
  readonly metrics: Metrics;
  /** How long a stream may be silent before a keep-alive. */
  readonly keepAliveMs: number;
  /** Set if the caller gets a receipt. */
  readonly receipt: OpenReceipt | undefined;
  /** Set if the call is paid individually. */
  readonly payment?: PaymentCapture;
}

/** A payment that is captured before the answer is sent. */
export interface PaymentCapture {
  /** Called when the answer, or the first content of a stream, is there; resolves to headers about the payment. */
  capture(whole?: Uint8Array): Promise<HeaderList>;
  /** Receives the bytes sent to the client. */
  addResponseBytes(bytes: Uint8Array | string): void;
  /** Whether to read the answer to its end even if the client has left. */
  readonly continuesWithoutClient: boolean;
}

/** The bytes of the answer in the client's wire format. */
export type ReplyChunks = Pick<ReplyBytes, 'pull' | 'stop'>;

/** Waits until the ended call is journaled: a client with a complete answer finds its call in the log even after a crash. */
export function waitUntilRecorded(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
