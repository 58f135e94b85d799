import { isIP } from 'node:net';
import { GatewayError } from '../../../kernel/errors.ts';
import { type HeaderList, headerOf, isProxyHeader } from '../../../lib/headers.ts';
import type { Secret } from '../../../lib/secret.ts';
import { formatMetrics } from '../../../telemetry/exposition.ts';
import type { ApiRequest, ApiRoute } from '../route.ts';

/** Prometheus metrics; require the metrics token if one is set, otherwise a loopback address. */
export function metricsRoutes(
  metrics: { render(): string | Promise<string> },
  token: Secret | undefined,
): readonly ApiRoute[] {
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/metrics',
      summary:
        'Metrics in the Prometheus text format, or in OpenMetrics with `accept: application/openmetrics-text`',
      tag: 'Operations',
      responses: { 200: { description: 'All metrics', contentType: 'text/plain' } },
      async handle(request) {
        checkMetricsAccess(request, token);
        return formatMetrics(await metrics.render(), headerOf(request.headers, 'accept'));
      },
    },
  ];
}

function checkMetricsAccess({ headers, remoteAddress }: ApiRequest, token: Secret | undefined): void {
  if (token === undefined) {
    // A proxy on this machine would make every client look local.
    if (isLoopback(remoteAddress) && !hasPassedProxy(headers)) return;
    throw new GatewayError(
      'forbidden',
      'metrics are only served to this machine; set WEIR_METRICS_TOKEN to read them from elsewhere',
    );
  }
  const sent = headerOf(headers, 'authorization') ?? '';
  if (!token.equals(sent.replace(/^bearer /i, '')))
    throw new GatewayError('authentication_required', 'send the metrics token as a bearer token');
}

function hasPassedProxy(headers: HeaderList): boolean {
  return headers.some((name, at) => at % 2 === 0 && isProxyHeader(name.toLowerCase()));
}

function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1';
}
