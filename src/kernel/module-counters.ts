/** How a module counts in one window. */
export interface CountOptions {
  /** What the count may reach. */
  readonly limit: number;
  /** The length of the window in seconds. A window starts with the first amount. */
  readonly window: number;
  /** The amount to add, 1 by default; 0 only reads. */
  readonly by?: number;
}

/** The result of counting. */
export interface Count {
  /** Whether the amount was added. If not, the count is unchanged. After reading: whether more could be added. */
  readonly isAllowed: boolean;
  readonly count: number;
  readonly remaining: number;
  /** Until the window ends; 0 if there is none. */
  readonly resetSeconds: number;
  /** 0 if the amount was added. */
  readonly retryAfterSeconds: number;
  /**
   * Replaces the amount that was added: an estimate by what was used, or by 0 to give it back. Does nothing if the
   * amount was not added or its window has ended.
   */
  settle(amount: number): Promise<void>;
}

/** One of a limited number of slots, until the call ends or it is released. */
export interface ModuleSlot {
  readonly isAllowed: boolean;
  /** Slots in use. */
  readonly count: number;
  release(): Promise<void>;
}
