import { hash } from 'node:crypto';
import { isJsonObject } from './json.ts';
import type { Received } from './received.ts';

/** What names a conversation or a device and not who sits at it. */
const passing = /session|conversation|thread|request|trace|run_?id|turn/i;

/**
 * The person that a client says it asks for, as far as it says so: one account often serves many. What names a session
 * doesn't count; Claude Code writes user, account and session into one string, or into one JSON text.
 */
export function personOf({ fields }: Received): string {
  const metadata = fields.get('metadata');
  const named = [
    isJsonObject(metadata) ? metadata.user_id : undefined,
    fields.get('user'),
    fields.get('safety_identifier'),
  ];
  // Formats have other fields for the same thing.
  const people = new Set(named.filter((name) => typeof name === 'string').map(withoutSession));
  return JSON.stringify([...people].sort());
}

/** A name of ours for the person whom a call is for, the same in all calls of a tenant; null where none is named. */
export function personRef(received: Received, scope: string): string | null {
  const named = personOf(received);
  return isSomebody(named) ? refOf(named, scope) : null;
}

/** The same for somebody who is named apart from a call. */
export function personRefOf(user: string, scope: string): string {
  return refOf(JSON.stringify([withoutSession(user)]), scope);
}

function isSomebody(named: string): boolean {
  return /[^[\]",\s]/.test(named);
}

function refOf(named: string, scope: string): string {
  return `user-${hash('sha256', `${scope}\n${named}`).slice(0, 24)}`;
}

/** A session's own name ends where another part of the whole begins. */
const session =
  /(?:^|[_:;|,&\s./-])(?:session|conversation|thread)(?:_?id)?[_:=-]+[\w-]+?(?=[_-](?:user|account|customer|client|member|person|tenant|org|device|visitor|uid|email)s?(?![a-z])|[^\w-]|$)/gi;

/** All of it where nothing else is left: who is named by a session alone is nobody else either. */
function withoutSession(name: string): string {
  if (!name.startsWith('{')) return name.replaceAll(session, '') || name;
  try {
    const parts: unknown = JSON.parse(name);
    if (!isJsonObject(parts)) return name;
    const lasting = Object.entries(parts).filter(([field]) => !passing.test(field));
    return lasting.length === 0
      ? name
      : JSON.stringify(lasting.sort(([one], [other]) => (one < other ? -1 : 1)));
  } catch {
    return name;
  }
}
