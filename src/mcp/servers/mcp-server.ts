import type { JsonObject } from '../../lib/json.ts';

/** An MCP server that an account or the operator has defined. */
export interface McpServer {
  /** The account; undefined for a server of the instance. */
  readonly accountId: string | undefined;
  /** Lower case letters, digits and hyphens: the first part of its tools' names. */
  readonly name: string;
  /** Changes with each change of the definition. */
  readonly version: string;
  readonly transport: McpTransport;
  /** Which of its tools are offered at all; `*` stands for any text. */
  readonly tools: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  /** Who may use it: any of these; empty for everybody in the account. */
  readonly access: readonly McpAccessRule[];
  /** The projects whose keys see it; empty for all. */
  readonly projects: readonly string[];
  readonly timeoutMs: number;
  readonly isEnabled: boolean;
}

export type McpTransport =
  | {
      readonly kind: 'http';
      readonly url: string;
      /** `headers`: those stored with the server. `person`: each person authorizes the gateway at the server. */
      readonly authorization: 'none' | 'headers' | 'person';
    }
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[] }
  | {
      readonly kind: 'openapi';
      readonly baseUrl: string;
      readonly document: JsonObject;
      readonly authorization: 'none' | 'headers';
      readonly operations: ApiOperationFilter;
    };

/** Which operations of an API become tools: patterns as `src/mcp/openapi/operation-filter.ts` reads them. */
export interface ApiOperationFilter {
  /** Empty for all. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Deprecated operations are left out otherwise. */
  readonly deprecated?: boolean;
}

export interface McpAccessRule {
  /** Patterns of tool names at the server. */
  readonly tools: readonly string[];
  readonly keys?: readonly string[];
  readonly roles?: readonly string[];
  readonly people?: readonly string[];
}
