import { createRequestIds } from '../../src/server/request-ids.ts';
import type { EndedCall } from '../../src/telemetry/request-log/logged-call.ts';

const requestId = createRequestIds();

/** A call as the frame tells of it. */
export function endedCall(changes: Partial<EndedCall> = {}): EndedCall {
  return {
    id: requestId(),
    accountId: 'local',
    keyId: undefined,
    modelAsked: 'demo-1',
    modelUsed: 'demo-1',
    provider: 'demo',
    wire: 'openai-chat',
    providerWire: undefined,
    streamed: false,
    status: 200,
    ending: 'complete',
    errorCode: undefined,
    usage: {},
    costNanoUsd: undefined,
    costEstimated: false,
    savedNanoUsd: 0,
    contentMs: undefined,
    totalMs: 1,
    overheadMs: 0,
    pipeline: 'none',
    steps: [],
    ...changes,
  };
}
