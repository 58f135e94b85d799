/** Counts of modules, shared by all replicas. Each scope has its own; lost counts start anew. */
export interface Counters {
  /** Adds an amount to a count if it stays within the limit, in one atomic step. */
  add(name: CounterName, addition: Addition): Promise<CountState>;
  /** Corrects an amount that was added in this window. Does nothing after the window. */
  correct(name: CounterName, correction: Correction): Promise<void>;
  /** Takes a slot of a limited number, or renews it; an expired one is free. */
  takeSlot(name: CounterName, request: SlotRequest): Promise<SlotState>;
  releaseSlot(name: CounterName, holder: string): Promise<void>;
}

export interface CounterName {
  readonly scope: string;
  readonly name: string;
}

export interface Addition {
  /** 0 reads the count. */
  readonly amount: number;
  readonly limit: number;
  /** The length of the window, which starts with the first amount. */
  readonly windowMs: number;
}

export interface CountState {
  /** Whether the amount was added; for an amount of 0, whether more could be. */
  readonly isAllowed: boolean;
  readonly count: number;
  /** The current window; empty if there is none. */
  readonly window: string;
  /** The rest of the window. */
  readonly leftMs: number;
}

export interface Correction {
  readonly window: string;
  /** The count never falls below 0, and may exceed the limit. */
  readonly change: number;
}

export interface SlotRequest {
  readonly holder: string;
  readonly limit: number;
  /** The slot expires after this, unless it is renewed. */
  readonly lifeMs: number;
}

export interface SlotState {
  readonly isAllowed: boolean;
  /** Slots in use. */
  readonly count: number;
}
