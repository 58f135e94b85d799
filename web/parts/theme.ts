import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const name = 'weir-theme';
const listeners = new Set<() => void>();

function stored(): Theme {
  try {
    const theme = localStorage.getItem(name);
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Before anything is drawn. */
export function startTheme(): void {
  apply(stored());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const tell of listeners) tell();
  });
}

export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(name, theme);
  } catch {
    // A browser that keeps nothing still shows what was chosen.
  }
  apply(theme);
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, stored);
}

/** Changes whenever colours do; for what is drawn by hand. */
export function useLook(): string {
  return useSyncExternalStore(
    subscribe,
    () => `${stored()}${matchMedia('(prefers-color-scheme: dark)').matches}`,
  );
}
