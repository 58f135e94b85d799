import { hash } from 'node:crypto';
import type { Conversation } from '../../module-api.ts';

const refCharacters = 12;

/** The ref under which a range of messages can be read; `to` is exclusive. */
export function refOf(conversation: Conversation, from: number, to: number = from + 1): string {
  const between = `${conversation.digestAt(from)}\n${conversation.digestAt(to)}`;
  return hash('sha256', between, 'base64url').replace(/[-_]/g, 'x').slice(0, refCharacters);
}
