/** How many parts a wait has: a delay of this thread counts for one of them at most. */
const parts = 10;

/**
 * Runs `late` after `ms`, without the time in which this thread was held up: what is waited for may have come meanwhile, and nobody
 * could notice. Returns a function that ends the wait.
 */
export function afterAttended(ms: number, late: () => void): () => void {
  let left = parts;
  let timer = setTimeout(onPart, ms / parts);
  function onPart(): void {
    left--;
    if (left > 0) timer = setTimeout(onPart, ms / parts);
    else late();
  }
  return () => clearTimeout(timer);
}
