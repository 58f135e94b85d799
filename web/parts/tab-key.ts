/** Keys that were made for this tab alone, and are revoked when it ends, however it does. */
const kept = new Set<string>();
const dayMs = 86_400_000;

export function keepForTab(id: string): void {
  if (kept.size === 0) window.addEventListener('pagehide', () => void revokeTabKeys());
  kept.add(id);
  setTimeout(() => void revokeTabKeys(), dayMs);
}

/** Asked for also while the page goes away. */
export async function revokeTabKeys(): Promise<void> {
  const ids = [...kept];
  kept.clear();
  await Promise.allSettled(ids.map((id) => fetch(`/v1/keys/${id}`, { method: 'DELETE', keepalive: true })));
}
