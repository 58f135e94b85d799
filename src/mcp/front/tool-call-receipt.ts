import type { CallReceipts, OpenReceipt } from '../../calls/call-receipts.ts';
import type { CallerIdentity } from '../../calls/caller-authenticator.ts';
import type { Ending } from '../../kernel/reply/ending.ts';
import type { ToolCallRecord } from '../../kernel/trace.ts';
import { toolCallRecord } from '../catalog/tool-call-record.ts';
import type { EndpointAnswer, EndpointRequest } from './endpoint.ts';
import { streamComment } from './event-stream.ts';

interface ToolCallReceiptParts {
  readonly receipts: Pick<CallReceipts, 'openFor'>;
  readonly identity: CallerIdentity;
  readonly request: EndpointRequest;
  readonly bytes: Uint8Array;
}

/** Answers a request, with a receipt if it is a call of a tool whose client gets receipts. */
export async function answerWithReceipt(
  { receipts, identity, request, bytes }: ToolCallReceiptParts,
  answerTo: (request: EndpointRequest) => Promise<EndpointAnswer>,
): Promise<EndpointAnswer> {
  const toolCalls: ToolCallRecord[] = [];
  let called: { readonly tool: string; readonly status: Ending['how'] } | undefined;
  const receipt = receipts.openFor(identity, {
    id: request.id,
    request: bytes,
    describe: () => called && describe(called, toolCalls),
  });
  if (receipt === undefined) return answerTo(request);
  const answer = await answerTo({ ...request, onToolCall: (call) => toolCalls.push(toolCallRecord(call)) });
  const { toolCall, stream, body = '', headers = [] } = answer;
  if (toolCall === undefined) return answer;
  const { tool, error } = toolCall;
  const withId = { ...answer, headers: [...headers, 'x-weir-receipt', receipt.id] };
  if (stream === undefined) {
    if ((await error) !== undefined) return answer;
    called = { tool, status: 'complete' };
    receipt.addResponseBytes(body);
    await receipt.close();
    return withId;
  }
  return {
    ...withId,
    stream: hashed(stream, receipt, async (isWhole) => {
      if (!isWhole || request.signal.aborted) called = { tool, status: 'aborted' };
      else called = { tool, status: (await error) === undefined ? 'complete' : 'failed' };
    }),
  };
}

/** The same stream. The receipt is issued at its end, or when the client leaves. */
async function* hashed(
  stream: AsyncIterable<Uint8Array>,
  receipt: OpenReceipt,
  onEnd: (isWhole: boolean) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let isWhole = false;
  try {
    for await (const chunk of stream) {
      receipt.addResponseBytes(withoutComments(chunk));
      yield chunk;
    }
    isWhole = true;
  } finally {
    await onEnd(isWhole);
    await receipt.close();
  }
}

/** A chunk has whole frames, and no data begins a line with a colon. */
function withoutComments(chunk: Uint8Array): string {
  const frames = Buffer.from(chunk)
    .toString()
    .split(/(?<=\n\n)/);
  return frames.filter((frame) => frame !== streamComment).join('');
}

/** A tool has no tokens and no price. */
function describe(
  { tool, status }: { readonly tool: string; readonly status: Ending['how'] },
  toolCalls: readonly ToolCallRecord[],
) {
  return {
    ...{ model: tool, provider: 'mcp', status, toolCalls },
    ...{ inputTokens: null, outputTokens: null, costUsd: '0', modules: [], egress: undefined },
  };
}
