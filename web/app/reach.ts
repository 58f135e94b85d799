import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ApiError } from '../api/client.ts';
import { localSession, me, onOtherSignIn, operatorSession } from '../api/queries.ts';

/** Whether the gateway answered when it was last asked; a local one is there without the internet. */
let answers = true;
const listeners = new Set<() => void>();

function tell(next: boolean): void {
  if (next === answers) return;
  answers = next;
  for (const listener of listeners) listener();
}

function failed(error: unknown): void {
  tell(error instanceof ApiError);
  if (error instanceof ApiError && error.status === 401) askWhoIsThere();
}

/** A session can end while a page is open: then the page asks for a log-in instead of telling of errors. */
function askWhoIsThere(): void {
  for (const { queryKey } of [me, localSession, operatorSession])
    void queryClient.invalidateQueries({ queryKey });
}

export function useReachable(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => answers,
  );
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: failed, onSuccess: () => tell(true) }),
  mutationCache: new MutationCache({ onError: failed, onSuccess: () => tell(true) }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 5000,
      retry: (count, error) => !(error instanceof ApiError) && count < 2,
      retryDelay: 600,
      refetchInterval: (query) =>
        query.state.error !== null && !(query.state.error instanceof ApiError) ? 3000 : false,
    },
    mutations: { networkMode: 'always' },
  },
});

// Nothing stays on the page of who logged out elsewhere.
onOtherSignIn(() => void queryClient.resetQueries());
