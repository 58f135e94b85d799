import type { OpenReceipt } from '../../calls/call-receipts.ts';
import type { InFlightCall } from '../../calls/in-flight-call.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { HeaderList } from '../../kernel/headers.ts';
import type { ReplyBytes } from '../../kernel/reply/reply-bytes.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestContext } from '../respond.ts';

/** An answer on its way to its client, and whoever has to be told of it. */
export interface Delivery {
  readonly res: HttpResponse;
  readonly context: RequestContext;
  readonly inFlightCall: InFlightCall;
  readonly metrics: Metrics;
  /** How long a stream may be silent. */
  readonly keepAliveMs: number;
  /** Where the caller gets one. */
  readonly receipt: OpenReceipt | undefined;
  /** Where the answer is paid for by itself. */
  readonly payment?: PaymentCapture;
}

/** An answer that somebody pays for before the first of it goes out. */
export interface PaymentCapture {
  /** Once there is something to get, all of it or the first content of a stream; headers that tell of it. */
  capture(whole?: Uint8Array): Promise<HeaderList>;
  /** What the client gets. */
  addResponseBytes(bytes: Uint8Array | string): void;
  /** Whether it is read to its end though the client has left. */
  readonly continuesWithoutClient: boolean;
}

/** The answer as it comes, in the client's format. */
export type ReplyChunks = Pick<ReplyBytes, 'pull' | 'stop'>;

/** Until the call, which is over, is written down: a client that has its whole answer finds it in the log, even if this process is killed. */
export function waitUntilRecorded(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
