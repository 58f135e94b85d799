import { setImmediate as atEnd } from 'node:timers/promises';

let queue: (() => void)[] = [];

/**
 * Runs when this turn of the event loop has read what there was to read, one after the other with whatever else waits for
 * that. Under load many calls come to the same point in one turn, and what the processor has just done for one costs it a
 * fraction for the next; a single call loses a few microseconds. What is run must not fail.
 */
export function queueImmediate(run: () => void): void {
  if (queue.push(run) === 1) setImmediate(drainQueue);
}

function drainQueue(): void {
  const all = queue;
  queue = [];
  for (const run of all) run();
}

/** Comes when the event loop has served everything else: the end of a turn in which something is read comes before that, the end of the next one behind it. */
export async function nextTurn(): Promise<void> {
  await atEnd();
  await atEnd();
}
