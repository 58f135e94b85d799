import type { ErrorDescriptions } from '../error-reference.ts';

export const mcpErrors = {
  mcp_server_failed: {
    cause:
      'The [MCP server](../guides/mcp.md) broke the protocol or exceeded a limit: a list without an end, a message that is too large, or an HTTP error.',
    remedy:
      'The message says what. `POST /v1/mcp/servers/:name/test` asks the server again; tell the people who run it.',
  },
  mcp_server_refused: {
    cause: 'The [MCP server](../guides/mcp.md) answered 401 or 403 to the credential that is stored with it.',
    remedy: 'Store the right headers with `PUT /v1/mcp/servers/:name`.',
  },
  mcp_server_unreachable: {
    cause:
      'The [MCP server](../guides/mcp.md) can’t be connected to, or it broke a connection off. A program could not be started, or has ended.',
    remedy:
      'Check its address, or its command. A call that was broken off may have been made: check before you repeat one that changes something.',
  },
  mcp_server_timeout: {
    cause: 'The [MCP server](../guides/mcp.md) sent nothing for as long as its `timeout_ms`.',
    remedy: 'Raise `timeout_ms` of the server, up to ten minutes. Servers that report progress have an hour.',
  },
  mcp_server_limit_reached: {
    cause: 'The account has as many [MCP servers](../guides/mcp.md) of its own as it may have.',
    remedy: 'Delete one with `DELETE /v1/mcp/servers/:name`.',
  },
  mcp_authorization_required: {
    cause:
      'The [MCP server](../guides/mcp-authorization.md) acts for each person, and you have not authorized the gateway there, or your authorization has ended.',
    remedy: 'Open the address in the message, log in to the gateway, and confirm. Then call again.',
  },
  mcp_authorization_failed: {
    cause:
      'An authorization at an [MCP server](../guides/mcp-authorization.md#what-can-go-wrong) was refused; `detail` says why.',
    remedy: 'Begin again; if it is refused again, show `detail` to whoever has added the server.',
  },
  mcp_person_required: {
    cause:
      'The [MCP server](../guides/mcp-authorization.md#keys-that-act-for-you) acts for each person, and the API key or the service account acts for nobody.',
    remedy:
      'Use an API key that acts for you: the dashboard and `PUT /v1/keys/:id/person` say for whom a key acts.',
  },
} as const satisfies ErrorDescriptions;
