import { GatewayError } from '../../kernel/errors.ts';

/** The person has to authorize the gateway at a server first, or again. */
export class AuthorizationRequired extends GatewayError {
  readonly server: string;
  /** The page of this gateway where the person, logged in, does so. */
  readonly url: string;

  constructor(server: string, url: string) {
    super(
      'mcp_authorization_required',
      `the MCP server "${server}" needs your authorization: open ${url}, then call again`,
    );
    this.server = server;
    this.url = url;
  }
}
