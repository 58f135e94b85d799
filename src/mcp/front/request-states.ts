import type { Sealer } from '../../accounts/sealer.ts';
import type { Clock } from '../../lib/clock.ts';
import { jsonObjectIn } from '../../lib/json.ts';
import { limits } from './limits.ts';
import { codes, ProtocolError } from './protocol-error.ts';

/** What a state belongs to: it is of no use for anything else. */
export interface StateOwner {
  readonly accountId: string;
  readonly keyId: string | null;
  readonly method: string;
  /** The tool, prompt or address as the client names it, which says the server. */
  readonly name: string;
}

/** Wraps the states that servers give to clients, so that any replica can give them back to their server and to no other. */
export class RequestStates {
  readonly #sealer: Sealer;
  readonly #clock: Clock;

  constructor(sealer: Sealer, clock: Clock) {
    this.#sealer = sealer;
    this.#clock = clock;
  }

  wrap(state: string, owner: StateOwner): string {
    const content = JSON.stringify({ state, untilMs: this.#clock.now() + limits.requestStateMs });
    const { sealedBy, sealed } = this.#sealer.seal(content, contextOf(owner));
    return `${sealedBy}.${Buffer.from(sealed).toString('base64url')}`;
  }

  /** Rejects what was changed, has expired, or belongs to another caller, server or tool. */
  unwrap(wrapped: unknown, owner: StateOwner): string {
    if (typeof wrapped !== 'string' || wrapped.length > limits.requestStateBytesMax * 2) throw invalidState();
    const [sealedBy = '', sealed = ''] = wrapped.split('.');
    const bytes = Buffer.from(sealed, 'base64url');
    const content = jsonObjectIn(this.#sealer.open({ sealedBy, sealed: bytes }, contextOf(owner)) ?? '');
    if (content === undefined || typeof content.state !== 'string') throw invalidState();
    if (typeof content.untilMs !== 'number' || content.untilMs < this.#clock.now())
      throw new ProtocolError(
        codes.invalidParams,
        'requestState has expired; make the call again from its start',
        {
          status: 200,
        },
      );
    return content.state;
  }
}

function contextOf({ accountId, keyId, method, name }: StateOwner): string {
  return JSON.stringify(['mcp-request-state', accountId, keyId, method, name]);
}

function invalidState(): ProtocolError {
  return new ProtocolError(
    codes.invalidParams,
    'requestState is not one that this gateway gave to this caller for this request',
    { status: 200 },
  );
}
