import { createRequestIds } from '../../src/kernel/request-ids.ts';
import type { EndedCall } from '../../src/telemetry/ended-call.ts';

const requestId = createRequestIds();

/** A call as it is told of. */
export function sampleEndedCall(changes: Partial<EndedCall> = {}): EndedCall {
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
