import { GatewayError } from '../../kernel/errors.ts';

export const failures = {
  unknown_server: 'there is no MCP server of this name for you that people authorize',
  server_unreachable: 'the MCP server can’t be reached',
  no_metadata: 'the MCP server does not say which authorization server it trusts (RFC 9728)',
  resource_mismatch: 'the metadata of the MCP server is about another resource',
  issuer_unreachable: 'the authorization server can’t be reached, or has no metadata (RFC 8414)',
  issuer_mismatch: 'the metadata of the authorization server is about another issuer',
  insecure_endpoint: 'an address of the authorization server is not https',
  no_pkce: 'the authorization server does not support PKCE with S256',
  no_client:
    'the authorization server does not know this gateway, and takes no client metadata documents; somebody with the right settings:write has to register a client',
  attempt: 'this authorization has expired, was used already, or was begun in another browser; begin again',
  other_person: 'this link is for another person or account; log in as that person',
  refused: 'the authorization server did not authorize the gateway',
  invalid_answer: 'the answer of the authorization server is not valid',
  changed: 'what was confirmed is not what the MCP server asks for now; begin again',
  removed: 'you are not a member of this account any more',
} as const;

export type FailureName = keyof typeof failures;

/** An authorization that failed; `reason` is the detail of the error. Nothing that a server has sent is in its text. */
export class AuthorizationFailure extends Error {
  readonly reason: FailureName;

  constructor(reason: FailureName, cause?: unknown) {
    super(failures[reason], { cause });
    this.reason = reason;
  }

  get error(): GatewayError {
    return new GatewayError('mcp_authorization_failed', this.message, {
      detail: this.reason,
      cause: this.cause,
    });
  }
}
