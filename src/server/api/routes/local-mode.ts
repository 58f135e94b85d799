import { GatewayError } from '../../../kernel/errors.ts';
import type { ApiRoute } from '../route.ts';

const accountPaths = [
  '/v1/keys',
  '/v1/keys/:id',
  '/v1/keys/:id/limits',
  '/v1/keys/:id/receipts',
  '/v1/keys/:id/recording',
  '/v1/users/:action',
  '/v1/users/:action/:what',
  '/api/anon/claim',
] as const;
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Local mode has no accounts or billing: their routes reject every method with `local_mode`. */
export function localModeRoutes(): readonly ApiRoute[] {
  const detail = 'billing_local_mode';
  return [
    ...accountPaths.flatMap((path) =>
      methods.map((method) => localModeRoute({ method, path, tag: 'Accounts' })),
    ),
    ...methods.map((method) => localModeRoute({ method, path: '/v1/billing/*', tag: 'Billing', detail })),
    localBalanceRoute,
    ...methods
      .filter((method) => method !== localBalanceRoute.method)
      .map((method) => localModeRoute({ method, path: localBalanceRoute.path, tag: 'Billing', detail })),
  ];
}

type RejectedRoute = Pick<ApiRoute, 'method' | 'path' | 'tag'> & { readonly detail?: string };

function localModeRoute({ method, path, tag, detail }: RejectedRoute): ApiRoute {
  return {
    kind: 'own',
    ...(method === 'GET' ? { method } : { method, audit: 'none' }),
    path,
    summary: 'Not available in local mode',
    tag,
    hidden: true,
    responses: { 503: { description: 'Local mode' } },
    handle: () => {
      throw localModeError(detail);
    },
  };
}

export function localModeError(detail?: string): GatewayError {
  return new GatewayError(
    'local_mode',
    'this gateway runs in local mode, which has no accounts, keys or billing',
    {
      shouldRetry: false,
      ...(detail !== undefined && { detail }),
    },
  );
}

/** An error that also carries the balance of local mode. */
const localBalanceRoute: ApiRoute = {
  kind: 'own',
  method: 'GET',
  path: '/v1/billing/balance',
  summary: 'Not available in local mode; the error carries the local balance',
  tag: 'Billing',
  responses: { 503: { description: 'Local mode' } },
  handle: () => {
    throw new GatewayError('local_mode', 'this gateway runs in local mode, which has no billing', {
      shouldRetry: false,
      detail: 'billing_local_mode',
      extraFields: {
        tier: 'local',
        credits: 0,
        currentPeriodEnd: null,
        autoRechargeEnabled: false,
        upgradeUrl: null,
        local: true,
      },
    });
  },
};
