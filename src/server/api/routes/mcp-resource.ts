import type { ErrorCode } from '../../../kernel/errors.ts';
import type { ApiRequest, ApiRoute } from '../route.ts';

/** The paths of the MCP endpoint, with what is served there. */
export const mcpPlaces = [
  { path: '/mcp', whom: 'all MCP servers' },
  { path: '/mcp/:project', whom: 'all MCP servers, with a key of this project' },
  { path: '/mcp/servers/:server', whom: 'one MCP server, whose names stay as they are' },
] as const;

const wellKnown = '/.well-known/oauth-protected-resource';

interface ResourceAddress {
  /** The public address of the gateway. */
  readonly url: string;
}

type EndpointPath = Pick<ApiRequest, 'parameters'>;

/** The metadata of the endpoint (RFC 9728), for each of its paths: clients compare `resource` with the address that they use. */
export function mcpResourceRoutes(address: ResourceAddress): readonly ApiRoute[] {
  return mcpPlaces.map(
    ({ path, whom }): ApiRoute => ({
      kind: 'own',
      method: 'GET',
      path: `${wellKnown}${path}`,
      summary: `What requests to ${whom} have to show (RFC 9728)`,
      tag: 'MCP',
      access: 'public',
      responses: { 200: { description: 'The metadata' } },
      // No authorization server: the endpoint takes API keys, which people make at the gateway.
      handle: (request) => ({
        headers: ['cache-control', 'public, max-age=3600'],
        body: {
          resource: `${address.url}${pathOf(request)}`,
          resource_name: 'Weir',
          bearer_methods_supported: ['header'],
          resource_documentation: `${address.url}/docs/guides/mcp-authorization`,
        },
      }),
    }),
  );
}

/** The `www-authenticate` of a request without a valid credential, which names the metadata. */
export function mcpChallenge(address: ResourceAddress, request: EndpointPath, code: ErrorCode): string {
  const metadata = `resource_metadata="${address.url}${wellKnown}${pathOf(request)}"`;
  return `Bearer ${metadata}${code === 'invalid_api_key' ? ', error="invalid_token"' : ''}`;
}

function pathOf({ parameters: { project, server } }: EndpointPath): string {
  if (server !== undefined) return `/mcp/servers/${encodeURIComponent(server)}`;
  return project === undefined ? '/mcp' : `/mcp/${encodeURIComponent(project)}`;
}
