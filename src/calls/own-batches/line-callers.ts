import { randomBytes } from 'node:crypto';
import type { Caller } from '../../kernel/caller.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import { type HeaderList, headerOf } from '../../lib/headers.ts';
import { gatewayKeyHeader } from '../api-key.ts';
import type { CallerAuthenticator, CallerIdentity } from '../caller-authenticator.ts';

/** Finds the identity of a caller that is known already; undefined if it may make no more calls. */
type FindIdentity = (caller: Caller, address: string | undefined) => Promise<CallerIdentity | undefined>;

/**
 * Identifies the calls of batches, which run after the request that made the batch has ended: the gateway does not keep API keys, so such a
 * call has a name instead, which exists in this process and for this call only.
 */
export class LineCallers implements CallerAuthenticator {
  readonly #others: CallerAuthenticator;
  readonly #find: FindIdentity;
  readonly #callers = new Map<string, Caller>();

  constructor(others: CallerAuthenticator, find: FindIdentity) {
    this.#others = others;
    this.#find = find;
  }

  /** What a call has in the place of its caller's API key; `close` makes it worthless. */
  open(caller: Caller): { readonly headers: HeaderList; close(): void } {
    const name = randomBytes(24).toString('base64url');
    this.#callers.set(name, caller);
    return { headers: [gatewayKeyHeader, name], close: () => void this.#callers.delete(name) };
  }

  identify(headers: HeaderList, address: string, wire?: WireFormat): Promise<CallerIdentity> {
    const caller = this.#callerIn(headers);
    return caller === undefined
      ? this.#others.identify(headers, address, wire)
      : this.#identityOf(caller, address);
  }

  reidentify(headers: HeaderList, address: string | undefined): Promise<CallerIdentity> {
    const caller = this.#callerIn(headers);
    return caller === undefined
      ? this.#others.reidentify(headers, address)
      : this.#identityOf(caller, address);
  }

  identifyCurrent(headers: HeaderList, address: string | undefined): Promise<CallerIdentity> {
    const caller = this.#callerIn(headers);
    return caller === undefined
      ? this.#others.identifyCurrent(headers, address)
      : this.#identityOf(caller, address);
  }

  #callerIn(headers: HeaderList): Caller | undefined {
    if (this.#callers.size === 0) return undefined;
    const name = headerOf(headers, gatewayKeyHeader);
    return name === undefined ? undefined : this.#callers.get(name);
  }

  async #identityOf(caller: Caller, address: string | undefined): Promise<CallerIdentity> {
    const identity = await this.#find(caller, address);
    if (identity !== undefined) return identity;
    throw new GatewayError('invalid_api_key', 'the API key that made this batch was revoked');
  }
}
