import { GatewayError } from '../../kernel/errors.ts';
import { toolCallWire } from '../../kernel/ports/request-log.ts';
import type { EndedCall } from '../../telemetry/ended-call.ts';
import { errorFactsOf } from '../../telemetry/error-facts.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { ProtocolError } from '../front/protocol-error.ts';
import { RpcError } from '../upstream/rpc-error.ts';
import type { ToolCallFacts } from './tool-caller.ts';

export interface ToolCallLogParts {
  /** The request log and the systems that it is sent to. */
  readonly logs: readonly { record(call: EndedCall): void }[];
  readonly metrics: Pick<Metrics, 'recordToolCall'>;
  newId(): string;
}

/** Every call of a tool is a row of the request log, whoever made it. */
export class ToolCallLog {
  readonly #parts: ToolCallLogParts;

  constructor(parts: ToolCallLogParts) {
    this.#parts = parts;
  }

  record(facts: ToolCallFacts): void {
    const { logs, metrics, newId } = this.#parts;
    const { caller, origin, name, server, ms, result } = facts;
    const end = endOf(facts);
    metrics.recordToolCall(labelOf(facts), end.ending, ms / 1000);
    const call: EndedCall = {
      id: origin.requestId ?? newId(),
      accountId: caller.accountId,
      keyId: caller.keyId ?? undefined,
      askedBy: origin.askedBy,
      client: origin.client,
      endUser: caller.endUser,
      modelAsked: name,
      modelUsed: server === undefined ? undefined : name,
      provider: undefined,
      wire: toolCallWire,
      providerWire: undefined,
      streamed: false,
      ...end,
      stopReason: stopReasonOf(result),
      usage: {},
      costNanoUsd: 0,
      costEstimated: false,
      savedNanoUsd: 0,
      contentMs: undefined,
      totalMs: ms,
      overheadMs: 0,
      pipeline: '',
      steps: [],
    };
    for (const log of logs) log.record(call);
  }
}

/** Names of servers of accounts are theirs, and without number. */
function labelOf({ server }: ToolCallFacts): string {
  if (server === undefined) return 'none';
  return server.accountId === undefined ? server.name : 'account';
}

function endOf({ error, isAborted }: ToolCallFacts) {
  if (isAborted) return { status: 499, ending: 'aborted', errorCode: 'client_gone' } as const;
  if (error === undefined) return { status: 200, ending: 'complete', errorCode: undefined } as const;
  if (error instanceof RpcError)
    return {
      status: 502,
      ending: 'failed',
      errorCode: 'upstream_error',
      providerError: String(error.code),
    } as const;
  if (error instanceof ProtocolError)
    return { status: error.status, ending: 'failed', errorCode: 'invalid_request' } as const;
  const { code, message } = errorFactsOf(error);
  const status = GatewayError.is(error) ? error.status : 500;
  return { status, ending: 'failed', errorCode: code, errorMessage: message } as const;
}

/** How a call with a result ended. */
function stopReasonOf(result: ToolCallFacts['result']): string | undefined {
  if (result === undefined) return undefined;
  if (result.resultType === 'input_required') return 'input_required';
  return result.isError === true ? 'tool_error' : 'end';
}
