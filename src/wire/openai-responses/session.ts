import type { ClientRequest } from '../../kernel/client-request.ts';
import { stringOf } from '../json-values.ts';

/** Codex's thread id, by the names of its versions. Other clients may use one cache key for all users. */
export function sessionOf(clientRequest: ClientRequest): string | undefined {
  for (const name of threadHeaders) {
    const thread = clientRequest.header(name);
    if (thread !== undefined) return thread;
  }
  const key = stringOf(clientRequest.fields.get('prompt_cache_key'));
  return key !== undefined && uuid.test(key) ? key : undefined;
}

/** The session that started a thread, whose other threads are subagents. */
export function parentSessionOf(clientRequest: ClientRequest): string | undefined {
  const session = clientRequest.header('session-id');
  const thread = clientRequest.header('thread-id');
  return thread === undefined || session === thread ? undefined : session;
}

const threadHeaders = ['thread-id', 'conversation_id', 'session-id', 'session_id'];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
