import type { McpCaller } from '../../kernel/ports/mcp.ts';
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
  readonly ms: number;
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
    const startedAt = performance.now();
    let server: McpServer | undefined;
    let result: JsonObject | undefined;
    let error: unknown;
    try {
      const found = await find(name);
      server = found.server;
      checkTool?.(found.item.definition);
      const sent = { ...parameters, name: found.item.ownName };
      result = await found.catalog.request('tools/call', sent, options);
      return { server, result };
    } catch (thrown) {
      error = thrown;
      throw thrown;
    } finally {
      onToolCall({
        caller,
        origin: this.#originOfCall(),
        name,
        server,
        ms: performance.now() - startedAt,
        result,
        error,
        isAborted: result === undefined && options.signal.aborted,
      });
    }
  }

  /** In one request, a server may ask its client and be called again: only the first call has the request's id. */
  #originOfCall(): CallOrigin {
    const { requestId, ...others } = this.#parts.origin;
    if (this.#hasCalled) return others;
    this.#hasCalled = true;
    return this.#parts.origin;
  }
}
