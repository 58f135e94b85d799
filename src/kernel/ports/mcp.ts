import type { JsonObject } from '../../lib/json.ts';
import type { KeyAccess } from '../access-rules.ts';
import type { Caller } from '../caller.ts';
import { GatewayError } from '../errors.ts';
import type { ToolCallRecord } from '../trace.ts';
import type { TraceParent } from '../trace-parent.ts';
import type { Role } from './identities.ts';

/** Who uses the MCP servers of an account, as of this request: `McpCallers` reads it, and it must not be kept for another. */
export interface McpCaller {
  readonly accountId: string;
  /** Null in local mode, and for a person with a session. */
  readonly keyId: string | null;
  /** The project of the key; null outside of projects. */
  readonly projectId: string | null;
  /** What the key may be used for; undefined for everything. */
  readonly access: KeyAccess | undefined;
  /** Whose role and own authorizations at MCP servers count: the person that the key acts for, or that of the session. */
  readonly personId: string | undefined;
  /** The roles of the person in the account and in the project; empty without a person. */
  readonly roles: readonly Role[];
  /** The pseudonym of the end user; undefined if the call names none. */
  readonly endUser: string | undefined;
}

/** A tool of an MCP server, as clients of the gateway see it. */
export interface McpTool {
  /** `<server>__<tool>`, stable as long as the server has the tool. */
  readonly name: string;
  readonly server: string;
  /** The name at the server. */
  readonly toolName: string;
  /** The server's own definition, with its own name. */
  readonly definition: McpToolDefinition;
  /** The person whose own authorization at the server its calls use; null if all callers of the account share one. */
  readonly personId: string | null;
}

/** The fields of a tool definition that the gateway reads; all others are passed on. */
export interface McpToolDefinition extends JsonObject {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly annotations?: McpToolAnnotations;
}

export interface McpToolAnnotations extends JsonObject {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

interface McpToolList {
  /** Ordered by name. */
  readonly tools: readonly McpTool[];
  /** Servers that could not be asked: their tools are those of the last good list, or missing. */
  readonly unavailable: readonly string[];
}

/** The result of a tool call, in the form of revision 2026-07-28. */
export type McpToolResult = McpCompleteResult | McpInputRequiredResult;

export interface McpCompleteResult extends JsonObject {
  readonly resultType: 'complete';
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The server needs answers of the client first: the call is repeated with them and `requestState`. */
export interface McpInputRequiredResult extends JsonObject {
  readonly resultType: 'input_required';
  readonly inputRequests?: JsonObject;
  readonly requestState?: string;
}

export interface McpCallOptions {
  readonly signal: AbortSignal;
  /** The module that makes the call, for the log; undefined for a call of an MCP client. */
  readonly askedBy?: string;
  onProgress?(progress: JsonObject): void;
}

/** The MCP servers that a caller may use, as one server. */
export interface McpTools {
  /** The tools that the caller may use, of all servers or of these. */
  list(servers?: readonly string[]): Promise<McpToolList>;
  /** Calls a tool by its name at the gateway. Rejects with a `GatewayError` if the caller may not, or the server fails. */
  call(name: string, input: JsonObject, options: McpCallOptions): Promise<McpToolResult>;
}

/** A call to a model, whose modules use MCP servers. */
export interface McpModelCall {
  readonly caller: Caller;
  /** The pseudonym of the end user; undefined if the call names none. */
  readonly endUser: string | undefined;
  /** The id of the call in the log. */
  readonly requestId: string;
  /** The module that lists and calls tools. */
  readonly askedBy: string;
  /** The client's place in a trace that is exported: servers get theirs. */
  readonly traceParent: TraceParent | undefined;
  /** Called at the end of each call of a tool. */
  onToolCall(toolCall: ToolCallRecord): void;
}

/** The MCP servers of all accounts. */
export interface McpToolsFinder {
  /** For the caller of a call; access and credentials are looked up when tools are listed and called. */
  toolsFor(call: McpModelCall): McpTools;
}

/** Where there are no MCP servers. */
export const noMcpTools: McpTools = {
  list: async () => ({ tools: [], unavailable: [] }),
  call: (name) => Promise.reject(new GatewayError('not_found', `there is no tool ${JSON.stringify(name)}`)),
};
