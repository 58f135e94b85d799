import { createHash } from 'node:crypto';
import type { ChatRequest } from '../../module-api.ts';

/** A name for the end user whom a request is for; null where it names none. Sessions in it don't count. */
export function personOf({ metadata }: ChatRequest, account: string): string | null {
  const said = metadata?.user_id;
  if (said == null || said === '') return null;
  const person = withoutSession(said);
  if (person === '') return null;
  return `user-${createHash('sha256').update(`${account}\n${person}`).digest('hex').slice(0, 24)}`;
}

/** Claude Code writes user, account and session into one text, as JSON or with underscores. */
function withoutSession(said: string): string {
  const parts = partsOf(said);
  if (parts === undefined) return said.replace(/_?session_[\w-]+$/, '');
  return Object.entries(parts)
    .filter(([name, value]) => !/session/i.test(name) && value !== '' && value !== null)
    .map(([name, value]) => `${name}=${String(value)}`)
    .sort()
    .join('\n');
}

function partsOf(said: string): object | undefined {
  if (!said.startsWith('{')) return undefined;
  try {
    return Object(JSON.parse(said));
  } catch {
    return undefined;
  }
}
