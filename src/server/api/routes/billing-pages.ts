import { billingPagePolicy, plansPage, welcomePage } from '../../../billing/billing-pages.ts';
import type { TierId } from '../../../kernel/ports/records.ts';
import { createPageRoute } from '../page-route.ts';
import type { ApiRoute } from '../route.ts';

export const billingPagePaths = { welcome: '/billing/welcome', start: '/billing/start' } as const;

/** The default return pages of checkouts. */
export function billingPageRoutes(tierLimits: Readonly<Record<TierId, number>>): readonly ApiRoute[] {
  return [
    billingPageRoute(billingPagePaths.welcome, 'The page after a completed checkout', welcomePage()),
    billingPageRoute(
      billingPagePaths.start,
      'The plans; also the page after a canceled checkout',
      plansPage(tierLimits),
    ),
  ];
}

function billingPageRoute(path: string, summary: string, body: string): ApiRoute {
  return createPageRoute({
    path,
    summary,
    tag: 'Billing',
    caching: 'public, max-age=60',
    policy: billingPagePolicy,
    body,
  });
}
