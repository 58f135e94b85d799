import type { Received } from '../../kernel/received.ts';
import { objectOf, stringOf } from '../read.ts';

/** How Claude Code begins the block in which it says who it is; what follows may be another with every call. */
export const attribution = 'x-anthropic-billing-header:';

/** Claude Code's session, and the agent in it where that is one of those that it starts by itself. */
export function sessionOf(received: Received): string | undefined {
  const session = received.header('x-claude-code-session-id') ?? sessionIn(userOf(received));
  if (session === undefined) return undefined;
  const agent = received.header('x-claude-code-agent-id');
  return agent === undefined ? session : `${session}:${agent}`;
}

function userOf({ fields }: Received): string | undefined {
  return stringOf(objectOf(fields.get('metadata'))?.user_id);
}

/** User, account and session are one text: as JSON from version 2.1.78 on, before that with underscores. */
function sessionIn(user: string | undefined): string | undefined {
  return user === undefined
    ? undefined
    : /(?:_session_|"session_id":\s*")([\w-]{8,64})(?:"|$)/.exec(user)?.[1];
}
