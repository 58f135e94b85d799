import { hash } from 'node:crypto';
import type { Conversation } from '../../module-api.ts';

const refCharacters = 12;

/** A name for a stretch of messages, from one to before another, under which they can be read. */
export function refOf(conversation: Conversation, from: number, to: number = from + 1): string {
  const between = `${conversation.digestAt(from)}\n${conversation.digestAt(to)}`;
  return hash('sha256', between, 'base64url').replace(/[-_]/g, 'x').slice(0, refCharacters);
}
