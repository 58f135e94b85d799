import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { Loaded, Page, Rows } from '../parts/states.tsx';
import { queryClient } from './reach.ts';

/** A page that is loaded when it is first opened. While the gateway is away it says so; the router would leave the app. */
export function page<Pages extends Readonly<Record<string, unknown>>>(
  load: () => Promise<Pages>,
  name: keyof Pages & string,
) {
  const loading = queryOptions({
    queryKey: ['page', name],
    queryFn: async () => {
      try {
        return { Component: (await load())[name] as ComponentType };
      } catch (error) {
        await reloadIfReachable();
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const LazyPage = () => (
    <Loaded
      of={useQuery(loading)}
      loading={
        <Page title="Loading">
          <Rows count={6} />
        </Page>
      }
    >
      {({ Component }) => <Component />}
    </Loaded>
  );
  return Object.assign(LazyPage, { preload: () => queryClient.prefetchQuery(loading) });
}

const reloadedAt = 'weir-reloaded-at';
const reloadPauseMs = 30_000;

/** Browsers remember a script that they could not load: once the gateway is back, only a new document can load it. */
async function reloadIfReachable(): Promise<void> {
  const { ok } = await fetch('/health');
  if (!ok || Date.now() - Number(sessionStorage.getItem(reloadedAt)) < reloadPauseMs) return;
  sessionStorage.setItem(reloadedAt, String(Date.now()));
  window.location.reload();
}
