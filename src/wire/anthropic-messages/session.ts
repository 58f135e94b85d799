import { claudeCodeSession } from '../../kernel/person.ts';
import type { Received } from '../../kernel/received.ts';
import { objectOf, stringOf } from '../read.ts';

/** How Claude Code begins the block in which it says who it is; what follows may be another with every call. */
export const attribution = 'x-anthropic-billing-header:';

/** Claude Code's session, and the agent in it where that is one of those that it starts by itself. */
export function sessionOf(received: Received): string | undefined {
  const session = received.header('x-claude-code-session-id') ?? claudeCodeSession(userOf(received));
  if (session === undefined) return undefined;
  const agent = received.header('x-claude-code-agent-id');
  return agent === undefined ? session : `${session}:${agent}`;
}

function userOf({ fields }: Received): string {
  return stringOf(objectOf(fields.get('metadata'))?.user_id) ?? '';
}
