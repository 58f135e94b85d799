import { billingPagePolicy, startPage, welcomePage } from '../../../billing/billing-pages.ts';
import type { TierId } from '../../../kernel/ports/records.ts';
import { pageRoute } from '../page-route.ts';
import type { OwnRoute } from '../route.ts';

export const billingPagePaths = { welcome: '/billing/welcome', start: '/billing/start' } as const;

/** Where checkouts lead unless who asks for one says otherwise. */
export function billingPagesRoutes(tierLimits: Readonly<Record<TierId, number>>): readonly OwnRoute[] {
  return [
    billingRoute(billingPagePaths.welcome, 'Where a checkout leads', welcomePage()),
    billingRoute(
      billingPagePaths.start,
      'The plans, and where a checkout that was left leads',
      startPage(tierLimits),
    ),
  ];
}

function billingRoute(path: string, summary: string, body: string): OwnRoute {
  return pageRoute({
    path,
    summary,
    tag: 'Billing',
    caching: 'public, max-age=60',
    policy: billingPagePolicy,
    body,
  });
}
