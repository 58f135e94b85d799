import type { ClientRequest } from '../../kernel/client-request.ts';
import { claudeCodeSession } from '../../kernel/end-user.ts';
import { objectOf, stringOf } from '../json-values.ts';

/** How Claude Code begins the block in which it says who it is; what follows may be another with every call. */
export const attribution = 'x-anthropic-billing-header:';

/** Claude Code's session, and the agent in it where that is one of those that it starts by itself. */
export function sessionOf(clientRequest: ClientRequest): string | undefined {
  const session =
    clientRequest.header('x-claude-code-session-id') ?? claudeCodeSession(userIdOf(clientRequest));
  if (session === undefined) return undefined;
  const agent = clientRequest.header('x-claude-code-agent-id');
  return agent === undefined ? session : `${session}:${agent}`;
}

function userIdOf({ fields }: ClientRequest): string {
  return stringOf(objectOf(fields.get('metadata'))?.user_id) ?? '';
}
