import type { Attempt } from '../kernel/attempt.ts';
import type { ClientRequest } from '../kernel/client-request.ts';
import { parentConversationOf, sessionNameOf } from '../kernel/conversation/conversation.ts';
import { GatewayError } from '../kernel/errors.ts';
import { budgetHolderOf } from '../kernel/ports/budget.ts';
import type { LoggedTurn } from '../kernel/ports/request-log.ts';
import { isResolved } from '../kernel/provider.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import type { Tags } from '../kernel/tags.ts';
import type { CallDetails, CallReporter } from '../telemetry/call-reporter.ts';
import type { EndedAttempt, EndedCall } from '../telemetry/ended-call.ts';
import { errorFactsOf } from '../telemetry/error-facts.ts';
import type { CallSettlement } from './call-settlement.ts';
import type { CallerIdentity } from './caller-authenticator.ts';
import { clientNameOf } from './client-name.ts';
import type { InFlightCall } from './in-flight-call.ts';
import { limits } from './limits.ts';
import { type RequestFacts, readRequestFacts } from './request-facts.ts';

export interface CallReportsParts {
  /** In the order in which they get a call. */
  readonly reporters: readonly CallReporter[];
  readonly settlement: CallSettlement;
  /** Called for every exception of a reporter. */
  onFault(reporter: string, fault: unknown): void;
}

interface CompletedCall {
  readonly call: InFlightCall;
  readonly ending: Ending;
  /** The status sent to the client. */
  readonly status: number;
  readonly pipeline: string;
  /** The module that made the call, for a module's own call. */
  readonly askedBy?: string | undefined;
  /** From the first byte of the call to the last. */
  readonly ms: number;
}

interface WaitingCall extends CompletedCall {
  readonly facts: RequestFacts;
}

/** A call of an identified caller that was rejected by admission. */
export interface RejectedCall {
  readonly id: string;
  readonly identity: CallerIdentity;
  readonly clientRequest: ClientRequest;
  readonly tags: Tags;
  readonly startedAtMs: number;
  readonly thrown: unknown;
  /** Whether its pipeline has an airgap. */
  readonly isAirgapped: boolean;
}

/**
 * Reports ended calls to all reporters. Calls of one event-loop turn are reported together, which is faster because the
 * code and data are still in the processor's caches.
 */
export class CallReports {
  readonly #parts: CallReportsParts;
  #waiting: WaitingCall[] = [];

  constructor(parts: CallReportsParts) {
    this.#parts = parts;
  }

  add(call: CompletedCall): void {
    // Runs before the next request is read, so that a client that asks for its call finds it.
    if (this.#waiting.push({ ...call, facts: readRequestFacts(call.call.exchange) }) === 1)
      process.nextTick(() => this.flush());
  }

  flush(): void {
    const calls = this.#waiting;
    this.#waiting = [];
    for (const call of calls)
      this.#parts.settlement.runPart('report', call.call.exchange.id, () => this.#report(call));
  }

  addRejected(rejected: RejectedCall): void {
    const { id, identity, clientRequest, tags, startedAtMs, thrown, isAirgapped } = rejected;
    const { model } = clientRequest.routing;
    const ms = performance.now() - startedAtMs;
    const error = errorFactsOf(thrown);
    const call: EndedCall = {
      ...rejectedCallDefaults,
      id,
      accountId: identity.accountId,
      keyId: identity.key?.keyId,
      agent: clientRequest.wire.agent?.(clientRequest),
      client: clientNameOf(clientRequest),
      conversation: sessionNameOf(clientRequest),
      parentConversation: parentConversationOf(clientRequest),
      tags,
      modelAsked: typeof model === 'string' ? model : '',
      wire: clientRequest.wire.name,
      streamed: clientRequest.streamed,
      status: GatewayError.is(thrown) ? thrown.status : 500,
      ending: 'failed',
      errorCode: error.code,
      errorMessage: error.message,
      totalMs: ms,
      overheadMs: ms,
    };
    this.#toAll((reporter) => reporter.reportRejected?.(call, { clientRequest, isAirgapped }));
  }

  #report({ call: inFlightCall, ending, status, pipeline, askedBy, ms, facts }: WaitingCall): void {
    const { exchange, meter, usage, bill } = inFlightCall;
    const { id, trace, clientRequest, caller } = exchange;
    const { steps, overheadMs, startedAtMs, attempts } = trace;
    const attempt = trace.answeringAttempt ?? attempts.at(-1);
    const target = attempt?.target ?? trace.replayedFrom ?? exchange.target;
    const hasTarget = isResolved(target);
    const { accountId, keyId } = budgetHolderOf(caller);
    const { firstContentAtMs } = meter;
    const since = (atMs: number | undefined) => (atMs === undefined ? undefined : atMs - startedAtMs);
    const error = ending.how === 'failed' ? errorFactsOf(ending.error) : undefined;
    const call: EndedCall = {
      id,
      accountId,
      keyId: keyId === '' ? undefined : keyId,
      askedBy,
      agent: clientRequest.wire.agent?.(clientRequest),
      client: clientNameOf(clientRequest),
      conversation: facts.conversation,
      parentConversation: facts.parentConversation,
      endUser: facts.endUser,
      tags: exchange.tags,
      turn: turnOf(inFlightCall, facts),
      modelAsked: String(clientRequest.routing.model),
      modelUsed: hasTarget ? target.model : undefined,
      provider: hasTarget ? target.provider.name : undefined,
      ...(target.provider.ownId !== undefined && { isOwnProvider: true }),
      wire: clientRequest.wire.name,
      providerWire: trace.providerWire,
      streamed: clientRequest.streamed,
      status,
      ending: ending.how,
      errorCode: error?.code,
      providerError: error?.providerError,
      errorMessage: error?.message,
      providerRequestId: attempt?.providerRequestId,
      stopReason: meter.stopReason,
      usage,
      costNanoUsd: bill?.nanoUsd,
      batches: trace.batches,
      costEstimated: bill?.estimated === true,
      savedNanoUsd: trace.savedNanoUsd,
      contentMs: since(firstContentAtMs),
      totalMs: ms,
      overheadMs,
      leftMs: since(attempt?.sentAtMs),
      connectedMs: since(attempt?.connectedAtMs),
      headMs: since(attempt?.headAtMs),
      leftOut: trace.dropped,
      headersAdded:
        trace.moduleHeaders.length === 0
          ? trace.moduleHeaders
          : trace.moduleHeaders.filter((_, at) => at % 2 === 0),
      pipeline,
      steps,
      ...(attempts.length > 1 && { attempts: attempts.map((one) => endedAttempt(one, startedAtMs)) }),
    };
    const details: CallDetails = {
      exchange,
      error: ending.how === 'failed' ? describeError(ending.error) : undefined,
      estimated: meter.estimated || call.costEstimated,
      faults: inFlightCall.faults,
    };
    this.#toAll((reporter) => reporter.report(call, details));
  }

  /** A reporter that fails keeps no call from the others. */
  #toAll(report: (reporter: CallReporter) => void): void {
    for (const reporter of this.#parts.reporters)
      try {
        report(reporter);
      } catch (fault) {
        this.#parts.onFault(reporter.name, fault);
      }
  }
}

function turnOf({ exchange, meter, usage }: InFlightCall, { prompt }: RequestFacts): LoggedTurn | undefined {
  if (prompt === undefined) return undefined;
  const { breakReason } = exchange.trace;
  return {
    ...prompt,
    called: countNames(meter.calledTools),
    ...((usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0 && { hour: true }),
    ...(breakReason !== undefined && { breakReason }),
  };
}

/** Providers limit names to such; models may invent others. */
const toolName = /^[\w.:/-]{1,128}$/;

function countNames(names: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names.slice(0, limits.loggedToolCallsMax))
    if (toolName.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function endedAttempt(attempt: Attempt, callStartedAtMs: number): EndedAttempt {
  const { ending, startedAtMs, endedAtMs = startedAtMs } = attempt;
  const since = (atMs: number | undefined) => (atMs === undefined ? undefined : atMs - callStartedAtMs);
  return {
    attempt,
    errorCode: ending?.how === 'failed' ? errorFactsOf(ending.error).code : undefined,
    startedMs: startedAtMs - callStartedAtMs,
    leftMs: since(attempt.sentAtMs),
    connectedMs: since(attempt.connectedAtMs),
    headMs: since(attempt.headAtMs),
    contentMs: since(attempt.firstContentAtMs),
    endedMs: endedAtMs - callStartedAtMs,
  };
}

/** Fields of a call that was never made. */
const rejectedCallDefaults = {
  modelUsed: undefined,
  provider: undefined,
  providerWire: undefined,
  usage: {},
  costNanoUsd: 0,
  costEstimated: false,
  savedNanoUsd: 0,
  contentMs: undefined,
  pipeline: '',
  steps: [],
} as const;

/** The code where there is one, since messages may quote the client's request; else the stack of a bug. */
function describeError(error: unknown): string {
  if (GatewayError.is(error)) return error.code;
  return error instanceof Error ? (error.stack ?? error.name) : 'unknown';
}
