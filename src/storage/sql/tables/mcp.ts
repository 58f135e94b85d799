/** Access to MCP servers. */
export interface McpTables {
  /** For whom API keys act. */
  readonly mcp_key_people: {
    readonly key_id: string;
    readonly account_id: string;
    readonly person_id: string;
    readonly since_ms: number;
  };
  readonly mcp_grants: {
    readonly account_id: string;
    readonly person_id: string;
    readonly server: string;
    readonly issuer: string;
    readonly resource: string;
    readonly client_id: string;
    readonly sealed_by: string;
    /** JSON: the access token and the refresh token. */
    readonly sealed: Uint8Array;
    readonly scope: string;
    readonly wanted_scope: string | null;
    readonly expires_at_ms: number | null;
    readonly version: string;
    readonly ended: number;
    /** The process that refreshes the tokens, and until when no other may. */
    readonly refresh_holder: string | null;
    readonly refresh_until_ms: number | null;
    readonly created_at_ms: number;
    readonly updated_at_ms: number;
  };
  readonly mcp_clients: {
    readonly account_id: string;
    readonly issuer: string;
    readonly client_id: string;
    /** The client secret; null for a public client. */
    readonly sealed_by: string | null;
    readonly sealed: Uint8Array | null;
    readonly dynamic: number;
    readonly updated_at_ms: number;
  };
}
