/** Words that are written one behind the other, on as many lines as they take. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
