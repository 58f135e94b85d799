import { operatorPays } from '../../kernel/caller.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { budgetHolderOf } from '../../kernel/ports/budget.ts';
import {
  type McpCaller,
  type McpCallOptions,
  type McpModelCall,
  type McpToolDefinition,
  type McpToolResult,
  type McpTools,
  type McpToolsFinder,
  noMcpTools,
} from '../../kernel/ports/mcp.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { McpCatalog } from './catalog.ts';
import type { CatalogView } from './catalog-view.ts';
import { toolCallRecord } from './tool-call-record.ts';
import type { ToolCallFacts } from './tool-caller.ts';

export interface ModelCallToolsParts {
  readonly catalog: McpCatalog;
  /** The key's person and roles, as they are now. */
  callerOf(requester: {
    readonly accountId: string;
    readonly keyId: string | null;
    readonly endUser: string | undefined;
  }): Promise<McpCaller>;
}

/** The tools of MCP servers for modules, with the access, the lists and the log of the endpoint. */
export class ModelCallTools implements McpToolsFinder {
  readonly #parts: ModelCallToolsParts;

  constructor(parts: ModelCallToolsParts) {
    this.#parts = parts;
  }

  toolsFor({ caller, endUser, askedBy, traceParent, onToolCall }: McpModelCall): McpTools {
    const { catalog, callerOf } = this.#parts;
    // Guests and payers of single calls have no account whose servers they could use.
    if (operatorPays(caller)) return noMcpTools;
    const { accountId } = budgetHolderOf(caller);
    const keyId = caller.kind === 'account' ? caller.keyId : null;
    const origin = {
      ...{ askedBy, traceParent },
      onCall: (facts: ToolCallFacts) => onToolCall(toolCallRecord(facts)),
    };
    const view = async () => catalog.viewFor(await callerOf({ accountId, keyId, endUser }), { origin });
    return {
      list: async (servers) => listTools(await view(), servers),
      call: async (name, input, options) => callTool(await view(), { name, arguments: input }, options),
    };
  }
}

async function listTools(view: CatalogView, servers: readonly string[] | undefined) {
  const { items, unavailable } = await view.list('tools', servers);
  const tools = items.flatMap(({ server, item, personId }) => {
    const { name, ownName: toolName, definition } = item;
    return isToolDefinition(definition) ? [{ name, server, toolName, definition, personId }] : [];
  });
  return { tools, unavailable };
}

function isToolDefinition(definition: JsonObject): definition is McpToolDefinition {
  return typeof definition.name === 'string' && isJsonObject(definition.inputSchema);
}

async function callTool(view: CatalogView, parameters: JsonObject, { signal, onProgress }: McpCallOptions) {
  const result = await view.callTool(parameters, {
    signal,
    ...(onProgress !== undefined && {
      onNotification: ({ method, params }: JsonObject) => {
        if (method === 'notifications/progress' && isJsonObject(params)) onProgress(params);
      },
    }),
  });
  if (isToolResult(result)) return result;
  throw new GatewayError('upstream_broken', 'the MCP server sent a result without content');
}

function isToolResult(result: JsonObject): result is McpToolResult {
  return result.resultType === 'input_required' || Array.isArray(result.content);
}
