import type { CallSpan, ToolCallOutcome } from '../../kernel/trace.ts';
import { parseTraceParent, type TraceParent } from '../../kernel/trace-parent.ts';
import { type HeaderList, joinedHeaderOf } from '../../lib/headers.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { TracedToolCall } from '../../telemetry/otlp/tool-call-spans.ts';
import { toolCallOutcome } from '../catalog/tool-call-record.ts';
import type { EndpointAnswer, EndpointRequest } from './endpoint.ts';
import { type Message, metaOf } from './json-rpc.ts';
import { errorAnswer } from './protocol-error.ts';

/** The export of traces. */
export interface ToolCallSpans {
  /** Undefined for a trace that is not sampled. */
  start(parent: TraceParent | undefined): CallSpan | undefined;
  export(call: TracedToolCall): void;
}

interface TracingParts {
  readonly spans: ToolCallSpans | undefined;
  readonly request: EndpointRequest;
  readonly message: Message;
}

/** Answers a request. A call of a tool is a span of its client's trace, with a span below it for each call at a server. */
export async function traceToolCall(
  { spans, request, message }: TracingParts,
  answerTo: (request: EndpointRequest) => Promise<EndpointAnswer>,
): Promise<EndpointAnswer> {
  if (spans === undefined || message.kind !== 'request' || message.method !== 'tools/call')
    return answerTo(request);
  const { id, caller, client, headers, onToolCall, signal } = request;
  const span = spans.start(parentOf(message.params, headers));
  if (span === undefined) return answerTo(request);
  const toolCalls: ToolCallOutcome[] = [];
  const startedAtMs = performance.now();
  const { name } = message.params;
  const end = (error: JsonObject | undefined) =>
    spans.export({
      ...{ id, caller, client, span, toolCalls, startedAtMs, error },
      endedAtMs: performance.now(),
      tool: typeof name === 'string' ? name : '',
      rpcId: String(message.id),
      protocolVersion: joinedHeaderOf(headers, 'mcp-protocol-version'),
      isAborted: signal.aborted,
    });
  const traced: EndpointRequest = {
    ...request,
    traceParent: span.parent,
    onToolCall(call) {
      toolCalls.push(toolCallOutcome(call));
      onToolCall?.(call);
    },
  };
  try {
    const answer = await answerTo(traced);
    void answer.toolCall?.error.then(end);
    return answer;
  } catch (thrown) {
    end(errorAnswer(thrown).error);
    throw thrown;
  }
}

/** MCP has traces in `_meta`, whatever the transport; programs that trace requests of HTTP have them in headers. */
function parentOf(params: JsonObject, headers: HeaderList): TraceParent | undefined {
  const { traceparent, tracestate } = metaOf(params);
  if (typeof traceparent === 'string')
    return parseTraceParent(traceparent, typeof tracestate === 'string' ? tracestate : undefined);
  return parseTraceParent(joinedHeaderOf(headers, 'traceparent'), joinedHeaderOf(headers, 'tracestate'));
}
