import type { McpCaller } from '../../kernel/ports/mcp.ts';
import { createSpanId, formatTraceParent, type TraceParent } from '../../kernel/trace-parent.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { RequestOptions } from '../upstream/server-connection.ts';
import type { CatalogItem } from './catalog-item.ts';
import type { ServerCatalog } from './server-catalog.ts';

/** What made a tool call, for the log. */
export interface CallOrigin {
  /** The id of the client's request; undefined for calls of modules, and for further calls of the same request. */
  readonly requestId?: string;
  readonly client?: string | undefined;
  readonly askedBy?: string | undefined;
  /** The client's place in a trace that is exported. */
  readonly traceParent?: TraceParent | undefined;
  /** Called at the end of each call, for its receipt and its trace. */
  onCall?(facts: ToolCallFacts): void;
}

export interface ToolCallOptions extends RequestOptions {
  /** Rejects a call that does not agree with the definition of the tool. */
  checkTool?(definition: JsonObject): void;
}

/** A tool call that has ended. */
export interface ToolCallFacts {
  readonly caller: McpCaller;
  readonly origin: CallOrigin;
  /** The name that the caller used. */
  readonly name: string;
  /** Undefined if there is no such tool for the caller. */
  readonly server: McpServer | undefined;
  /** The name of the tool at the server. */
  readonly ownName: string | undefined;
  /** The arguments. */
  readonly input: unknown;
  /** On the performance clock. */
  readonly startedAtMs: number;
  readonly ms: number;
  readonly spanId: string;
  /** As the server gave it. */
  readonly result: JsonObject | undefined;
  /** Undefined if the call has a result. */
  readonly error: unknown;
  readonly isAborted: boolean;
}

export interface FoundItem {
  readonly server: McpServer;
  readonly catalog: ServerCatalog;
  readonly item: CatalogItem;
}

export interface ToolCallerParts {
  readonly caller: McpCaller;
  readonly origin: CallOrigin;
  /** Rejects if there is no such tool for the caller. */
  find(name: string): Promise<FoundItem>;
  /** Called at the end of every call. */
  onToolCall(facts: ToolCallFacts): void;
}

/** Calls tools for one request, and reports each call when it has ended. */
export class ToolCaller {
  readonly #parts: ToolCallerParts;
  #hasCalled = false;

  constructor(parts: ToolCallerParts) {
    this.#parts = parts;
  }

  /** Resolves to the server's own result. */
  async call(
    name: string,
    parameters: JsonObject,
    { checkTool, ...options }: ToolCallOptions,
  ): Promise<{ readonly server: McpServer; readonly result: JsonObject }> {
    const { caller, find, onToolCall } = this.#parts;
    const startedAtMs = performance.now();
    const spanId = createSpanId();
    let server: McpServer | undefined;
    let ownName: string | undefined;
    let result: JsonObject | undefined;
    let error: unknown;
    try {
      const found = await find(name);
      server = found.server;
      ownName = found.item.ownName;
      checkTool?.(found.item.definition);
      const sent = { ...parameters, name: ownName };
      result = await found.catalog.request('tools/call', sent, this.#withTrace(options, spanId));
      return { server, result };
    } catch (thrown) {
      error = thrown;
      throw thrown;
    } finally {
      const facts: ToolCallFacts = {
        caller,
        origin: this.#originOfCall(),
        name,
        server,
        ownName,
        input: parameters.arguments,
        startedAtMs,
        ms: performance.now() - startedAtMs,
        spanId,
        result,
        error,
        isAborted: result === undefined && options.signal.aborted,
      };
      onToolCall(facts);
      facts.origin.onCall?.(facts);
    }
  }

  /** Servers get the span of their call in place of the client's, where `_meta` has traces. */
  #withTrace(options: RequestOptions, spanId: string): RequestOptions {
    const { traceParent } = this.#parts.origin;
    if (traceParent === undefined) return options;
    const { tracestate } = traceParent;
    const traceparent = formatTraceParent(traceParent, spanId);
    const { tracestate: _sent, ...meta } = options.meta ?? {};
    return {
      ...options,
      meta: { ...meta, traceparent, ...(tracestate !== undefined && { tracestate }) },
    };
  }

  /** In one request, a server may ask its client and be called again: only the first call has the request's id. */
  #originOfCall(): CallOrigin {
    const { requestId, ...others } = this.#parts.origin;
    if (this.#hasCalled) return others;
    this.#hasCalled = true;
    return this.#parts.origin;
  }
}
