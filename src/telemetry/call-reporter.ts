import type { ClientRequest } from '../kernel/client-request.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { EndedCall } from './ended-call.ts';

/**
 * Receives calls that have ended, at the end of the turn of the event loop. The calls of other clients wait meanwhile,
 * so a reporter that stores or sends them puts them into a bounded queue. A reporter that throws is counted and logged;
 * the call and the other reporters go on.
 */
export interface CallReporter {
  /** For the log and for metrics. */
  readonly name: string;
  report(call: EndedCall, details: CallDetails): void;
  /** A call of an identified caller that admission rejected. */
  reportRejected?(call: EndedCall, details: RejectedCallDetails): void;
}

interface RejectedCallDetails {
  readonly clientRequest: ClientRequest;
  /** Whether the pipeline of the call has an airgap: then nothing of it may leave the machine. */
  readonly isAirgapped: boolean;
}

/** What only some reporters need of a call. */
export interface CallDetails {
  /** The exchange of the call: its trace has the steps and attempts with their times. */
  readonly exchange: Exchange;
  /** The error code, or the stack of a bug; undefined for a call that did not fail. */
  readonly error: string | undefined;
  /** Whether usage or cost is an estimate. */
  readonly estimated: boolean;
  /** Exceptions of code that observed the reply. */
  readonly faults: readonly unknown[];
}
