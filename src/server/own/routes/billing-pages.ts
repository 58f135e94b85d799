import { billingPagePolicy, startPage, welcomePage } from '../../../billing/billing-pages.ts';
import type { TierId } from '../../../kernel/ports/records.ts';
import type { OwnRoute } from '../route.ts';

export const billingPagePaths = { welcome: '/billing/welcome', start: '/billing/start' } as const;

/** Where checkouts lead unless who asks for one says otherwise. */
export function billingPagesRoutes(tierLimits: Readonly<Record<TierId, number>>): readonly OwnRoute[] {
  return [
    pageRoute(billingPagePaths.welcome, 'Where a checkout leads', welcomePage()),
    pageRoute(
      billingPagePaths.start,
      'The plans, and where a checkout that was left leads',
      startPage(tierLimits),
    ),
  ];
}

function pageRoute(path: string, summary: string, body: string): OwnRoute {
  return {
    kind: 'own',
    method: 'GET',
    path,
    summary,
    tag: 'Billing',
    access: 'public',
    answers: { 200: { description: 'A page', type: 'text/html' } },
    handle: () => ({
      headers: [
        'cache-control',
        'public, max-age=60',
        'content-security-policy',
        billingPagePolicy,
        'x-content-type-options',
        'nosniff',
        'referrer-policy',
        'no-referrer',
      ],
      type: 'text/html; charset=utf-8',
      body,
    }),
  };
}
