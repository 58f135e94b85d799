/** What was run in the playground, in this browser only. */
export interface HistoryEntry {
  readonly at: string;
  /** Unvalidated: another version of this page may have written it. */
  readonly draft: unknown;
}

const storageKey = 'weir-playground-history';
const entriesMax = 30;
const charactersMax = 500_000;

export function readHistory(): readonly HistoryEntry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

/** The newest first. Beyond its size, the oldest go. */
export function addToHistory(draft: object, at = new Date()): void {
  const entries = [{ at: at.toISOString(), draft }, ...readHistory()].slice(0, entriesMax);
  const isSame = JSON.stringify(entries[0]?.draft) === JSON.stringify(entries[1]?.draft);
  if (isSame) entries.splice(1, 1);
  while (entries.length > 0 && JSON.stringify(entries).length > charactersMax) entries.pop();
  try {
    localStorage.setItem(storageKey, JSON.stringify(entries));
  } catch {
    // Without room the history stays as it is.
  }
}

export function clearHistory(): void {
  localStorage.removeItem(storageKey);
}
