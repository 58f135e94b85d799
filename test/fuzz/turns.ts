/** What some work came to, and how long it held the event loop at most. */
interface WatchedProcess<Result> {
  readonly result: Result;
  /** The longest turn, in milliseconds in which this thread had the processor: a busy machine makes none longer. */
  readonly heldMs: number;
}

export async function longestTurn<Result>(work: () => Promise<Result>): Promise<WatchedProcess<Result>> {
  let heldMs = 0;
  let turn = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(turn);
    heldMs = Math.max(heldMs, (user + system) / 1000);
    turn = process.threadCpuUsage();
  };
  const looking = setInterval(look, 1);
  try {
    const result = await work();
    look();
    return { result, heldMs };
  } finally {
    clearInterval(looking);
  }
}
