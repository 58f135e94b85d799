import type { ErrorDescriptions } from '../error-reference.ts';

export const mcpErrors = {
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
