import type { ClientRequest } from '../../kernel/client-request.ts';
import { claudeCodeSession } from '../../kernel/end-user.ts';
import { objectOf, stringOf } from '../json-values.ts';

/** Start of Claude Code's attribution block; the rest of it may change with every call. */
export const attribution = 'x-anthropic-billing-header:';

/** Claude Code's session id, with the agent id for a subagent. */
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
