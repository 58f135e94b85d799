import { GatewayError } from '../../kernel/errors.ts';
import { limits } from './limits.ts';

/** Two underscores follow it in the names of its tools. */
export const serverNamePattern = /^[a-z](?:[a-z0-9]|-(?!-)){0,30}[a-z0-9]$/;

export const serverNameRule =
  'the name of an MCP server has 2 to 32 lower case letters, digits and single hyphens, and begins with a letter';

export const serversBound = `an account has at most ${limits.serversMax} MCP servers of its own`;

/** Rejects what can't be the name of a server. */
export function checkServerName(name: string): void {
  if (!serverNamePattern.test(name))
    throw new GatewayError('invalid_request', serverNameRule, { param: 'name' });
}

export function unknownServerError(name: string): GatewayError {
  return new GatewayError(
    'not_found',
    `there is no MCP server "${name.slice(0, 100).toWellFormed()}"; GET /v1/mcp/servers lists them`,
  );
}
