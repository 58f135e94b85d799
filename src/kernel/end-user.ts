import { hash } from 'node:crypto';
import { isJsonObject } from '../lib/json.ts';
import type { ClientRequest } from './client-request.ts';
import type { LazyJsonObject } from './json/lazy-json-object.ts';

/**
 * The end user of the caller's key, or that a client names, if any: one account often serves many. Accepts any name, but leaves out the
 * session that Claude Code writes into its own.
 */
export function endUserOf({ fields, fixedEndUser }: ClientRequest): string {
  if (fixedEndUser !== undefined) return JSON.stringify([stripSession(fixedEndUser)]);
  // Formats have different fields for this.
  const named = ['metadata', 'user', 'safety_identifier'].map((field) => endUserNameIn(fields, field));
  return JSON.stringify([...new Set(named)].filter((name) => name !== '').sort());
}

/** The pseudonym of the call's end user, the same in all calls of a tenant; null if the call names none. */
export function endUserRefOf(clientRequest: ClientRequest, scope: string): string | null {
  const named = endUserOf(clientRequest);
  return named === noEndUser ? null : hashEndUser(named, scope);
}

/** The pseudonym of an end user who is named outside of a call. */
export function endUserRefFromName(user: string, scope: string): string {
  return hashEndUser(JSON.stringify([stripSession(user)]), scope);
}

/** The session in a user id that Claude Code wrote; undefined for any other id. */
export function claudeCodeSession(name: string): string | undefined {
  return claudeCodeParts(name)?.session;
}

const noEndUser = '[]';

function hashEndUser(named: string, scope: string): string {
  return `user-${hash('sha256', `${scope}\n${named}`).slice(0, 24)}`;
}

function endUserNameIn(fields: LazyJsonObject, field: string): string {
  const value = fields.get(field);
  const name = field !== 'metadata' ? value : isJsonObject(value) ? value.user_id : undefined;
  if (name === undefined || name === null) return '';
  // Some providers accept numbers; those with 18 digits would be rounded.
  return typeof name === 'string' ? stripSession(name) : fields.textOf(field);
}

function stripSession(name: string): string {
  return claudeCodeParts(name)?.endUser ?? name;
}

interface ClaudeCodeParts {
  readonly endUser: string;
  readonly session: string;
}

/** The format up to version 2.1.77. The account is empty if an API key pays. */
const underscoredName =
  /^(user_[0-9a-f]{64}_account_(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)_session_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** The later format, exactly as JSON.stringify writes it; other fields, order or spacing come from another client. */
const jsonName =
  /^(\{"device_id":"[0-9a-f]{64}","account_uuid":"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?"),"session_id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"\}$/;

function claudeCodeParts(name: string): ClaudeCodeParts | undefined {
  const [, endUser, session] = underscoredName.exec(name) ?? jsonName.exec(name) ?? [];
  return endUser === undefined || session === undefined ? undefined : { endUser, session };
}
