import type { KeyIdentity, KeyRing } from '../accounts/key-ring.ts';
import type { Quota, QuotaDecision } from '../billing/quota.ts';
import type { Slot } from '../billing/slot.ts';
import type { Caller } from '../kernel/caller.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { HeaderList } from '../kernel/headers.ts';
import type { Arrived, Ready } from './admission.ts';
import type { Callers, Known } from './callers.ts';

/** A call that was counted before it is made. */
export interface Counted {
  /** The caller as of this moment. */
  readonly known: Known;
  /** The period that the call counts in; undefined where it counts in none. */
  readonly periodStartMs: number | undefined;
  /** Calls past so many in the period are paid for with credits. */
  readonly paidPast?: number | undefined;
  /** Why the call may not be made; told only if nothing else is wrong with it. */
  readonly refusal: GatewayError | undefined;
  /** It was answered, and stays counted. */
  used(): void;
  /** It was not, and counts no longer; nothing happens to a call that was used. */
  unused(): void;
}

/** Where every call of one kind of caller passes before it is made. */
export interface Turnstile {
  /** At once where nobody has to be asked. */
  pass(known: Known, headers: HeaderList): Counted | Promise<Counted>;
  /** What is made of a call, where that isn't what it asks for. */
  prepare?(arrived: Arrived, known: Known): Ready;
}

/** One for each kind of caller that this gateway serves. */
export type Turnstiles = Partial<Readonly<Record<Caller['kind'], Turnstile>>>;

export function passThrough(
  turnstiles: Turnstiles,
  known: Known,
  headers: HeaderList,
): Counted | Promise<Counted> {
  const turnstile = turnstiles[known.caller.kind];
  if (turnstile === undefined) throw new Error(`nobody counts the calls of "${known.caller.kind}" callers`);
  return turnstile.pass(known, headers);
}

/** A local gateway's calls are its user's own. */
export const openTurnstile: Turnstile = { pass: uncounted };

function uncounted(known: Known): Counted {
  return { known, periodStartMs: undefined, refusal: undefined, used() {}, unused() {} };
}

export interface AccountTurnstileParts {
  readonly quota: Quota;
  readonly callers: Callers;
  readonly keys: KeyRing;
}

/** How often a caller's account may change while one call waits to be counted. */
const changesMax = 5;

/** Counts a call against its account, and in the same step learns whether what is known of the caller still holds. */
export class AccountTurnstile implements Turnstile {
  readonly #parts: AccountTurnstileParts;

  constructor(parts: AccountTurnstileParts) {
    this.#parts = parts;
  }

  pass(known: Known, headers: HeaderList): Counted | Promise<Counted> {
    const decision = this.#parts.quota.take(keyOf(known).account);
    const counted = decision instanceof Promise ? undefined : this.#counted(known, decision);
    return counted ?? this.#passAgain({ known, decision }, headers);
  }

  async #passAgain(first: Asked, headers: HeaderList): Promise<Counted> {
    const { quota, callers } = this.#parts;
    let { known } = first;
    let decision = await first.decision;
    let counted = first.decision instanceof Promise ? this.#counted(known, decision) : undefined;
    for (let changes = 1; counted === undefined; changes++) {
      if (changes === changesMax) throw beingChanged();
      known = await callers.identifyAnew(headers);
      decision = await quota.take(keyOf(known).account);
      counted = this.#counted(known, decision);
    }
    return counted;
  }

  /** Undefined where the account was another when it was looked up; what was taken of its calls is given back then. */
  #counted(known: Known, decision: QuotaDecision): Counted | undefined {
    const { keyId, version } = keyOf(known);
    if (decision.version !== version) {
      if (decision.outcome === 'granted') void decision.slot.undo();
      return undefined;
    }
    this.#parts.keys.used(keyId);
    return decision.outcome === 'granted'
      ? new TakenSlot(known, decision.slot)
      : { ...uncounted(known), refusal: decision.error() };
  }
}

interface Asked {
  readonly known: Known;
  readonly decision: QuotaDecision | Promise<QuotaDecision>;
}

function beingChanged(): GatewayError {
  return new GatewayError('busy', 'this account is being changed; try again in a moment', {
    retryAfterSeconds: 1,
  });
}

function keyOf({ key }: Known): KeyIdentity {
  if (key === undefined) throw new Error('only callers with a key pass here');
  return key;
}

class TakenSlot implements Counted {
  readonly known: Known;
  readonly refusal = undefined;
  readonly #slot: Slot;

  constructor(known: Known, slot: Slot) {
    this.known = known;
    this.#slot = slot;
  }

  get periodStartMs(): number {
    return this.#slot.periodStartMs;
  }

  get paidPast(): number | undefined {
    return this.#slot.paidPast;
  }

  used(): void {
    this.#slot.keep();
  }

  unused(): void {
    void this.#slot.giveBack();
  }
}
