import type { McpServer } from './mcp-server.ts';

/** Whose servers: a call has the version of its account, others see the newest state. */
export interface ServerOwner {
  readonly accountId: string;
  readonly version?: string | undefined;
}

/** The MCP servers that accounts and the operator have defined. Calls read them from memory, for one version of the account. */
export interface McpServers {
  /**
   * All that the account can use, by name, also disabled ones and those of other projects. One of the account comes before one of the
   * operator with the same name.
   */
  serversOf(owner: ServerOwner): Promise<ReadonlyMap<string, McpServer>>;
}
