import { hash } from 'node:crypto';
import type { ToolCallOutcome, ToolCallRecord, ToolServer } from '../../kernel/trace.ts';
import { canonicalJson } from '../../lib/json.ts';
import { errorFactsOf } from '../../telemetry/error-facts.ts';
import type { McpTransport } from '../servers/mcp-server.ts';
import { RpcError } from '../upstream/rpc-error.ts';
import type { ToolCallFacts } from './tool-caller.ts';

/** A call as receipts have it. Digests are of canonical JSON, so that who has the values can check them. */
export function toolCallRecord(facts: ToolCallFacts): ToolCallRecord {
  const { input = {}, result } = facts;
  return {
    ...toolCallOutcome(facts),
    argumentsSha256: digestOf(input),
    resultSha256: result === undefined ? null : digestOf(result),
  };
}

/** A call as traces have it. */
export function toolCallOutcome(facts: ToolCallFacts): ToolCallOutcome {
  const { name, origin, result, startedAtMs, ms, spanId } = facts;
  return {
    ...{ tool: name, server: serverOf(facts), askedBy: origin.askedBy },
    ...{ startedAtMs, endedAtMs: startedAtMs + ms, spanId },
    how: result !== undefined ? 'complete' : facts.isAborted ? 'aborted' : 'failed',
    error: errorOf(facts),
  };
}

function serverOf({ server, ownName }: ToolCallFacts): ToolServer | undefined {
  if (server === undefined || ownName === undefined) return undefined;
  return { name: server.name, tool: ownName, url: urlOf(server.transport) };
}

function urlOf(transport: McpTransport): string | undefined {
  switch (transport.kind) {
    case 'http':
      return transport.url;
    case 'openapi':
      return transport.baseUrl;
    case 'program':
      return undefined;
  }
}

function errorOf({ result, error, isAborted }: ToolCallFacts): string | undefined {
  if (result !== undefined) return result.isError === true ? 'tool_error' : undefined;
  if (isAborted) return undefined;
  return error instanceof RpcError ? String(error.code) : errorFactsOf(error).code;
}

function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}
