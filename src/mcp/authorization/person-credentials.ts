import type { McpCaller } from '../../kernel/ports/mcp.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { UpstreamCredential } from '../upstream/server-connection.ts';

/** The credentials with which requests of a caller go to a server. */
export interface PersonCredentials {
  /**
   * For a server with `authorization: 'person'`. Rejects with a `GatewayError` if the caller acts for no person. `accessToken` of the credential rejects
   * with an `AuthorizationRequired` if the person has not authorized the gateway.
   */
  of(caller: McpCaller, server: McpServer): UpstreamCredential;
}
