import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { type RangeName, ranges } from '../api/queries.ts';
import { Failure, Page, Rows } from '../parts/states.tsx';
import { Gate } from './gate.tsx';
import { NotFound } from './not-found.tsx';

const root = createRootRoute({ component: Gate, notFoundComponent: NotFound });

interface OverviewSearch {
  readonly range?: RangeName;
}

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: ({ range }: Record<string, unknown>): OverviewSearch =>
    typeof range === 'string' && range in ranges ? { range: range as RangeName } : {},
  component: lazyRouteComponent(() => import('../pages/overview/overview.tsx'), 'Overview'),
});

/** Filters of the log, as the address has them. */
export interface RequestsSearch {
  readonly search?: string;
  readonly model?: string;
  readonly module?: string;
  /** What a module did: the one that is named, or any. */
  readonly effect?: 'answered' | 'rejected';
  readonly provider?: string;
  readonly key?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
  readonly open?: string;
}

const filters = ['search', 'model', 'module', 'provider', 'key', 'status', 'from', 'to', 'open'] as const;

const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  validateSearch: ({ effect, ...search }: Record<string, unknown>): RequestsSearch => ({
    ...texts(search, filters),
    ...((effect === 'answered' || effect === 'rejected') && { effect }),
  }),
  component: lazyRouteComponent(() => import('../pages/requests/requests.tsx'), 'Requests'),
});

const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  component: lazyRouteComponent(() => import('../pages/playground/playground.tsx'), 'Playground'),
});

const modules = createRoute({
  getParentRoute: () => root,
  path: '/modules',
  validateSearch: (search: Record<string, unknown>): { readonly open?: string } => texts(search, ['open']),
  component: lazyRouteComponent(() => import('../pages/modules/modules.tsx'), 'Modules'),
});

const modulePage = createRoute({
  getParentRoute: () => root,
  path: '/modules/$name',
  component: lazyRouteComponent(() => import('../pages/module/module-page.tsx'), 'ModulePage'),
});

const providerKeys = createRoute({
  getParentRoute: () => root,
  path: '/provider-keys',
  component: lazyRouteComponent(() => import('../pages/provider-keys/provider-keys.tsx'), 'ProviderKeys'),
});

const reference = createRoute({
  getParentRoute: () => root,
  path: '/reference',
  validateSearch: (
    search: Record<string, unknown>,
  ): { readonly open?: string | undefined; readonly q?: string | undefined } => texts(search, ['open', 'q']),
  component: lazyRouteComponent(() => import('../pages/reference/reference.tsx'), 'Reference'),
});

const opens = (search: Record<string, unknown>): { readonly open?: string } => texts(search, ['open']);

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: opens,
  component: lazyRouteComponent(() => import('../pages/keys/keys.tsx'), 'Keys'),
});

const aliases = createRoute({
  getParentRoute: () => root,
  path: '/aliases',
  validateSearch: opens,
  component: lazyRouteComponent(() => import('../pages/aliases/aliases.tsx'), 'Aliases'),
});

const guardrails = createRoute({
  getParentRoute: () => root,
  path: '/guardrails',
  validateSearch: opens,
  component: lazyRouteComponent(() => import('../pages/guardrails/guardrails.tsx'), 'Guardrails'),
});

const receipts = createRoute({
  getParentRoute: () => root,
  path: '/receipts',
  validateSearch: opens,
  component: lazyRouteComponent(() => import('../pages/receipts/receipts.tsx'), 'Receipts'),
});

const billing = createRoute({
  getParentRoute: () => root,
  path: '/billing',
  validateSearch: ({ paid }: Record<string, unknown>): { readonly paid?: 'plan' | 'credits' } =>
    paid === 'plan' || paid === 'credits' ? { paid } : {},
  component: lazyRouteComponent(() => import('../pages/billing/billing.tsx'), 'Billing'),
});

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account.tsx'), 'Account'),
});

function texts<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') found[name] = value;
    else if (typeof value === 'number') found[name] = String(value);
  }
  return found;
}

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    requests,
    playground,
    modules,
    modulePage,
    aliases,
    guardrails,
    providerKeys,
    reference,
    keys,
    receipts,
    billing,
    account,
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingMs: 150,
  defaultPendingComponent: () => (
    <Page title="Loading">
      <Rows count={6} />
    </Page>
  ),
  defaultErrorComponent: ({ error, reset }) => (
    <Page title="Something went wrong">
      <Failure error={error} onRetry={reset} />
    </Page>
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
