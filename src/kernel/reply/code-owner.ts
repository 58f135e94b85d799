/** The owner of code that runs inside a reply, long after the function that added it has returned. */
export interface CodeOwner {
  /**
   * Handles a fault of its code. Returns the error for the reply, or undefined to continue without that code, which
   * is possible only while nothing is lost.
   */
  handleFault(fault: unknown, mayGoOn: boolean): unknown;
  /** Runs its code under its deadline. */
  runTimed<Done>(task: () => Promise<Done>): Promise<Done>;
  /** Awaits its final work at the end of a reply, under its deadline. */
  awaitFinal<Done>(work: Promise<Done>): Promise<Done>;
  /** Awaits inner modules or the provider, which doesn't count as its own time. */
  awaitInner<Done>(inner: Promise<Done>): Promise<Done>;
}
