import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CacheBackend } from '../../kernel/ports/scoped-cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../lib/json.ts';
import { limits } from './limits.ts';

/** What a client with a session has said; all replicas know it. */
export interface SessionState {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
  readonly logLevel: string | undefined;
  /** Addresses of resources that the client follows. */
  readonly resources: readonly string[];
  readonly renewedAtMs: number;
}

export interface Session {
  readonly id: string;
  readonly owner: SessionOwner;
  readonly state: SessionState;
}

/** Whose session it is: others get nothing for its id. */
export interface SessionOwner {
  readonly accountId: string;
  readonly keyId: string | null;
}

export interface SessionsParts {
  readonly cache: CacheBackend;
  /** Signs ids, so that the store is asked for none that somebody made up. */
  readonly key: Uint8Array;
  readonly clock: Clock;
}

/** Where the sessions of an account are in the cache. */
export function sessionsScope(accountId: string): string {
  return `mcp-sessions:${accountId}`;
}

/** The sessions of clients before revision 2026-07-28. They are in the store that all replicas share, and may be lost: a client then begins a new one. */
export class Sessions {
  readonly #parts: SessionsParts;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  async begin(
    owner: SessionOwner,
    client: Pick<SessionState, 'protocolVersion' | 'capabilities' | 'clientInfo'>,
  ): Promise<Session> {
    const name = randomBytes(18).toString('base64url');
    const id = `${name}.${this.#signatureOf(name, owner)}`;
    const state = { ...client, logLevel: undefined, resources: [], renewedAtMs: this.#parts.clock.now() };
    const session = { id, owner, state };
    await this.#write(session);
    return session;
  }

  /** Undefined if it has ended, was lost, or is another caller's. */
  async find(id: string, owner: SessionOwner): Promise<Session | undefined> {
    const [name = '', signature = ''] = id.slice(0, 200).split('.');
    if (!isSame(signature, this.#signatureOf(name, owner))) return undefined;
    const bytes = await this.#cacheOf(owner).get(keyOf(id));
    const state = bytes === undefined ? undefined : readState(jsonObjectIn(bytes));
    if (state === undefined) return undefined;
    const session = { id, owner, state };
    const nowMs = this.#parts.clock.now();
    return nowMs - state.renewedAtMs < limits.sessionRenewalMs ? session : this.change(session, {});
  }

  async change(
    session: Session,
    change: Partial<Pick<SessionState, 'logLevel' | 'resources'>>,
  ): Promise<Session> {
    const state = { ...session.state, ...change, renewedAtMs: this.#parts.clock.now() };
    const changed = { ...session, state };
    await this.#write(changed);
    return changed;
  }

  end({ id, owner }: Session): Promise<void> {
    return this.#cacheOf(owner).delete(keyOf(id));
  }

  /** Leaves a message for the replica that serves a request of the session. */
  leave({ id, owner }: Session, name: string, message: JsonObject): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(message));
    return this.#cacheOf(owner).put(messageKeyOf(id, name), bytes, limits.mailboxSeconds);
  }

  async take({ id, owner }: Session, name: string): Promise<JsonObject | undefined> {
    const bytes = await this.#cacheOf(owner).get(messageKeyOf(id, name));
    return bytes === undefined ? undefined : jsonObjectIn(bytes);
  }

  #write({ id, owner, state }: Session): Promise<void> {
    return this.#cacheOf(owner).put(keyOf(id), Buffer.from(JSON.stringify(state)), limits.sessionSeconds);
  }

  #cacheOf({ accountId }: SessionOwner) {
    return this.#parts.cache.cacheFor(sessionsScope(accountId));
  }

  #signatureOf(name: string, { accountId, keyId }: SessionOwner): string {
    const content = JSON.stringify([name, accountId, keyId]);
    return createHmac('sha256', this.#parts.key).update(content).digest('base64url');
  }
}

function keyOf(id: string): string {
  return `session ${id}`;
}

function messageKeyOf(id: string, name: string): string {
  return `message ${id} ${name}`;
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.byteLength === second.byteLength && timingSafeEqual(first, second);
}

function readState(stored: JsonObject | undefined): SessionState | undefined {
  const { protocolVersion, capabilities, clientInfo, logLevel, resources, renewedAtMs } = stored ?? {};
  if (typeof protocolVersion !== 'string' || typeof renewedAtMs !== 'number') return undefined;
  return {
    protocolVersion,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    clientInfo: isJsonObject(clientInfo) ? clientInfo : {},
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    resources: Array.isArray(resources) ? resources.filter((uri) => typeof uri === 'string') : [],
    renewedAtMs,
  };
}
