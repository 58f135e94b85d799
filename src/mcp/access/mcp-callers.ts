import type { McpCaller } from '../../kernel/ports/mcp.ts';

/** Whose request it is. */
export interface McpRequester {
  readonly accountId: string;
  /** Null in local mode. */
  readonly keyId: string | null;
  readonly endUser: string | undefined;
}

/** Says who makes a request, with the person and the roles as they are stored now. One query. */
export interface McpCallers {
  /** Rejects if the key was revoked meanwhile. */
  ofKey(requester: McpRequester): Promise<McpCaller>;
  /** A person who is logged in, or a service account. */
  ofSession(session: {
    readonly accountId: string;
    readonly personId: string | undefined;
    readonly role: string;
  }): Promise<McpCaller>;
}
