import type { ClientRequest } from '../../kernel/client-request.ts';
import { claudeCodeSession } from '../../kernel/end-user.ts';
import { objectOf, stringOf } from '../json-values.ts';

/** Start of Claude Code's attribution block; the rest of it may change with every call. */
export const attribution = 'x-anthropic-billing-header:';

/** Claude Code's session id, with the agent id for a subagent. */
export function sessionOf(clientRequest: ClientRequest): string | undefined {
  const session = mainSessionOf(clientRequest);
  const agent = subagentIdOf(clientRequest);
  return session === undefined || agent === undefined ? session : `${session}:${agent}`;
}

/** The session that a subagent belongs to. */
export function parentSessionOf(clientRequest: ClientRequest): string | undefined {
  return subagentIdOf(clientRequest) === undefined ? undefined : mainSessionOf(clientRequest);
}

function mainSessionOf(clientRequest: ClientRequest): string | undefined {
  return clientRequest.header('x-claude-code-session-id') ?? claudeCodeSession(userIdOf(clientRequest));
}

function subagentIdOf(clientRequest: ClientRequest): string | undefined {
  return clientRequest.header('x-claude-code-agent-id');
}

function userIdOf({ fields }: ClientRequest): string {
  return stringOf(objectOf(fields.get('metadata'))?.user_id) ?? '';
}
