import { localPersonId } from '../../../mcp/access/mcp-callers.ts';
import type { AccountCaller } from '../access.ts';

/** A person with a session, whose own authorizations count. */
export interface McpPerson {
  readonly accountId: string;
  readonly personId: string;
  readonly sessionId: string;
}

/** Undefined for API keys and service accounts. */
export function personOf(caller: AccountCaller): McpPerson | undefined {
  if (caller.kind === 'local')
    return { accountId: caller.accountId, personId: localPersonId, sessionId: 'local' };
  if (caller.kind === 'key' || caller.isService) return undefined;
  return { accountId: caller.accountId, personId: String(caller.identityId), sessionId: caller.tokenId };
}
