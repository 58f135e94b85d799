import type {
  Allowance,
  InFlightCalls,
  SlotDecision,
  Slots,
  Versions,
} from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  type AccountState,
  beginCount,
  createAccountState,
  giveBackSlot,
  releaseSlots,
  reportCalls,
  takeSlot,
} from '../account-state.ts';
import { limits } from '../limits.ts';
import type { DocumentChanges } from './document-changes.ts';

/** The counts and the version of an account are one document, so that they are lost together. */
export class DocumentSlots implements Slots, Versions {
  readonly #changes: DocumentChanges<AccountState>;
  readonly #clock: Clock;

  constructor(changes: DocumentChanges<AccountState>, clock: Clock) {
    this.#changes = changes;
    this.#clock = clock;
  }

  take(allowance: Allowance, inFlightCalls?: InFlightCalls): Promise<SlotDecision> {
    return this.#change(allowance.accountId, (state, nowMs) => {
      const result = takeSlot(state, { allowance, inFlightCalls, nowMs });
      return { result, isChanged: result.outcome === 'granted' || result.outcome === 'full' };
    });
  }

  reportInFlight(allowance: Allowance, inFlightCalls: InFlightCalls): Promise<void> {
    return this.#write(allowance, (state, nowMs) => reportCalls(state, { allowance, inFlightCalls, nowMs }));
  }

  giveBack(allowance: Allowance): Promise<void> {
    return this.#write(allowance, (state, nowMs) => giveBackSlot(state, { allowance, nowMs }));
  }

  undo(allowance: Allowance): Promise<void> {
    return this.#write(allowance, (state, nowMs) => releaseSlots(state, { allowance, nowMs }, 1));
  }

  begin(allowance: Allowance, used: number): Promise<void> {
    return this.#write(allowance, (state, nowMs) => beginCount(state, { allowance, nowMs }, used));
  }

  of(accountId: string): Promise<string> {
    return this.#change(accountId, ({ version }) => ({ result: version, isChanged: false }));
  }

  renew(accountId: string): Promise<void> {
    return this.#change(accountId, (state) => {
      state.version = this.#changes.createId();
      return { result: undefined, isChanged: true };
    });
  }

  #write({ accountId }: Allowance, write: (state: AccountState, nowMs: number) => void): Promise<void> {
    return this.#change(accountId, (state, nowMs) => {
      write(state, nowMs);
      return { result: undefined, isChanged: true };
    });
  }

  #change<Result>(
    accountId: string,
    change: (state: AccountState, nowMs: number) => { readonly result: Result; readonly isChanged: boolean },
  ): Promise<Result> {
    return this.#changes.change<Result>(`account ${accountId}`, (existing) => {
      const nowMs = this.#clock.now();
      const state = existing ?? createAccountState(this.#changes.createId());
      const { result, isChanged } = change(state, nowMs);
      if (existing !== undefined && !isChanged) return { result };
      const untilMs = Math.max(nowMs + limits.versionLifeMs, ...state.counts.map((count) => count.untilMs));
      return { value: state, untilMs, result };
    });
  }
}
