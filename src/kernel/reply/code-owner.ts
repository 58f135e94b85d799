/** Who answers for code that runs inside of a reply, long after the function that put it there has returned. */
export interface CodeOwner {
  /**
   * Its code failed. What the answer fails with; undefined where it goes on without that code, which is possible only
   * while nothing is lost by it.
   */
  handleFault(fault: unknown, mayGoOn: boolean): unknown;
  /** Its code is at work, and has to be done in time. */
  runTimed<Done>(task: () => Promise<Done>): Promise<Done>;
  /** What it still does at the end, for which it has as long as it may take at a stretch. */
  awaitFinal<Done>(work: Promise<Done>): Promise<Done>;
  /** Its code waits for something further in, which is not its own time. */
  awaitInner<Done>(inner: Promise<Done>): Promise<Done>;
}
