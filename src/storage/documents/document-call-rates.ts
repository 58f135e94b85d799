import type { CallRates, RateDecision, RatedCall, RateSettlement } from '../../kernel/ports/call-rates.ts';
import type { CounterName } from '../../kernel/ports/counters.ts';
import type { Clock } from '../../lib/clock.ts';
import { type CallRate, createCallRate, expiryOf, renewCall, settleCall, takeCall } from '../call-rate.ts';
import type { DocumentChanges } from './document-changes.ts';
import { documentName } from './document-counters.ts';

/** Rates of calls as shared documents, one for each caller. */
export class DocumentCallRates implements CallRates {
  readonly #changes: DocumentChanges<CallRate>;
  readonly #clock: Clock;

  constructor(changes: DocumentChanges<CallRate>, clock: Clock) {
    this.#changes = changes;
    this.#clock = clock;
  }

  take(caller: CounterName, call: RatedCall): Promise<RateDecision> {
    return this.#change(caller, (rate, nowMs) => {
      const result = takeCall(rate, call, nowMs);
      return { result, isChanged: result.isAllowed };
    });
  }

  renew(caller: CounterName, lease: Pick<RatedCall, 'id' | 'lifeMs'>): Promise<void> {
    return this.#write(caller, (rate, nowMs) => renewCall(rate, lease, nowMs));
  }

  settle(caller: CounterName, settlement: RateSettlement): Promise<void> {
    return this.#write(caller, (rate, nowMs) => settleCall(rate, settlement, nowMs));
  }

  #write(caller: CounterName, write: (rate: CallRate, nowMs: number) => void): Promise<void> {
    return this.#change(caller, (rate, nowMs) => {
      write(rate, nowMs);
      return { result: undefined, isChanged: true };
    });
  }

  #change<Result>(
    caller: CounterName,
    change: (rate: CallRate, nowMs: number) => { readonly result: Result; readonly isChanged: boolean },
  ): Promise<Result> {
    return this.#changes.change<Result>(documentName('rate', caller), (existing) => {
      const rate = existing ?? createCallRate();
      const { result, isChanged } = change(rate, this.#clock.now());
      return isChanged ? { value: rate, untilMs: expiryOf(rate), result } : { result };
    });
  }
}
