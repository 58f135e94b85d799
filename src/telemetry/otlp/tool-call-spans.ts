import type { McpCaller } from '../../kernel/ports/mcp.ts';
import type { CallSpan, ToolCallOutcome } from '../../kernel/trace.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import {
  NamedValues,
  noLinks,
  parentIsRemote,
  type Span,
  type SpanAttributes,
  spanKinds,
  traceFlags,
} from './span.ts';

// Names are those of https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md.

/** A call of a tool by a client of MCP. */
export interface TracedToolCall {
  /** The id of the request. */
  readonly id: string;
  readonly span: CallSpan;
  readonly caller: Pick<McpCaller, 'accountId' | 'keyId' | 'endUser'>;
  readonly client: string | undefined;
  /** The name that the client used. */
  readonly tool: string;
  /** The id that the client gave its message. */
  readonly rpcId: string;
  readonly protocolVersion: string | undefined;
  /** On the performance clock. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The error of JSON-RPC that the client got. */
  readonly error: JsonObject | undefined;
  readonly isAborted: boolean;
  /** The calls at servers. */
  readonly toolCalls: readonly ToolCallOutcome[];
}

type ToEpochUs = (atMs: number) => number;

/** The call of a client, and the calls at servers that it led to. */
export function tracedToolCallSpans(traced: TracedToolCall, toEpochUs: ToEpochUs): readonly Span[] {
  const { span, toolCalls } = traced;
  const inner = toolCalls
    .filter(({ server }) => server !== undefined)
    .map((toolCall) => toolCallSpan(toolCall, { span, parentSpanId: span.spanId, toEpochUs }));
  return [clientCallSpan(traced, toEpochUs), ...inner];
}

interface ToolCallPlace {
  readonly span: CallSpan;
  readonly parentSpanId: string;
  readonly toEpochUs: ToEpochUs;
}

/** A call at a server. */
export function toolCallSpan(toolCall: ToolCallOutcome, place: ToolCallPlace): Span {
  const { server, startedAtMs, endedAtMs, spanId, error, how, askedBy, tool } = toolCall;
  const { span, parentSpanId, toEpochUs } = place;
  const name = server?.tool ?? tool;
  const url = server?.url === undefined ? null : URL.parse(server.url);
  const attributes = toolAttributes(name);
  attributes.add('network.transport', server !== undefined && url === null ? 'pipe' : 'tcp');
  attributes.add('server.address', url?.hostname);
  attributes.add(
    'server.port',
    url === null ? undefined : Number(url.port) || (url.protocol === 'http:' ? 80 : 443),
  );
  attributes.add('weir.mcp.server', server?.name);
  attributes.add('weir.asked_by', askedBy);
  attributes.add('weir.ending', how === 'complete' ? undefined : how);
  attributes.add('error.type', error);
  attributes.add('rpc.response.status_code', isRpcCode(error) ? error : undefined);
  return {
    ...{ traceId: span.traceId, spanId, parentSpanId },
    tracestate: span.parent?.tracestate,
    flags: traceFlags(span),
    name: `${method} ${name}`,
    similar: 'tool call',
    kind: spanKinds.client,
    ...{ startUs: toEpochUs(startedAtMs), endUs: toEpochUs(endedAtMs) },
    ...{ attributes, measurements: new NamedValues(), error, links: noLinks },
  };
}

/** The name of an unknown tool is in no name of a span: clients could make up any number. */
function clientCallSpan(traced: TracedToolCall, toEpochUs: ToEpochUs): Span {
  const { span, tool, toolCalls, startedAtMs, endedAtMs } = traced;
  const isKnown = toolCalls.some(({ server }) => server !== undefined);
  const attributes = toolAttributes(tool);
  const error = errorTypeOf(traced);
  const { id, caller, client, rpcId, protocolVersion } = traced;
  attributes.add('network.transport', 'tcp');
  attributes.add('network.protocol.name', 'http');
  attributes.add('mcp.protocol.version', protocolVersion);
  attributes.add('weir.account.id', caller.accountId);
  attributes.add('weir.key.id', caller.keyId ?? undefined);
  attributes.add('weir.client', client);
  attributes.add('weir.ending', traced.isAborted ? 'aborted' : undefined);
  attributes.add('error.type', error);
  attributes.add(
    'rpc.response.status_code',
    traced.error === undefined ? undefined : String(traced.error.code),
  );
  attributes.add('enduser.pseudo.id', caller.endUser);
  attributes.add('jsonrpc.request.id', rpcId);
  attributes.add('weir.request.id', id);
  return {
    ...{ traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parent?.spanId },
    tracestate: span.parent?.tracestate,
    flags: traceFlags(span) | (span.parent === undefined ? 0 : parentIsRemote),
    name: isKnown ? `${method} ${tool}` : method,
    similar: 'tool call of a client',
    kind: spanKinds.server,
    ...{ startUs: toEpochUs(startedAtMs), endUs: toEpochUs(endedAtMs) },
    ...{ attributes, measurements: new NamedValues(), error, links: noLinks },
  };
}

const method = 'tools/call';

/** The values that repeat from call to call come first. */
function toolAttributes(name: string): SpanAttributes {
  const all: SpanAttributes = new NamedValues();
  all.add('mcp.method.name', method);
  all.add('gen_ai.operation.name', 'execute_tool');
  all.add('gen_ai.tool.name', name === '' ? undefined : name);
  return all;
}

/** The gateway's own code is better known than that of JSON-RPC; a tool that failed has a result. */
function errorTypeOf({ error, toolCalls, isAborted }: TracedToolCall): string | undefined {
  if (isAborted) return undefined;
  if (error === undefined) return toolCalls.at(-1)?.error;
  const code = isJsonObject(error.data) ? error.data.code : undefined;
  return typeof code === 'string' ? code : String(error.code);
}

function isRpcCode(error: string | undefined): boolean {
  return error !== undefined && /^-?\d+$/.test(error);
}
