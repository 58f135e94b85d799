import { isIP } from 'node:net';
import { GatewayError } from '../../../kernel/errors.ts';
import { headerOf } from '../../../kernel/headers.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { metricsType } from '../../../telemetry/metrics.ts';
import type { OwnRequest, OwnRoute } from '../route.ts';

/** Counters for Prometheus: with a token where one is set, else for this machine only. */
export function metricsRoutes(
  metrics: { render(): string | Promise<string> },
  token: Secret | undefined,
): readonly OwnRoute[] {
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/metrics',
      summary: 'Counters in the Prometheus text format',
      tag: 'Operations',
      answers: { 200: { description: 'All counters', type: 'text/plain' } },
      async handle(request) {
        check(request, token);
        return { body: await metrics.render(), type: metricsType };
      },
    },
  ];
}

function check({ headers, remoteAddress }: OwnRequest, token: Secret | undefined): void {
  if (token === undefined) {
    if (isLoopback(remoteAddress)) return;
    throw new GatewayError(
      'forbidden',
      'metrics are for this machine only; set WEIR_METRICS_TOKEN to read them from elsewhere',
    );
  }
  const sent = headerOf(headers, 'authorization') ?? '';
  if (!token.equals(sent.replace(/^bearer /i, '')))
    throw new GatewayError('authentication_required', 'send the metrics token as a bearer token');
}

function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1';
}
