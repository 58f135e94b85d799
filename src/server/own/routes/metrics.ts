import { isIP } from 'node:net';
import { GatewayError } from '../../../kernel/errors.ts';
import { type HeaderList, headerOf, isFromProxy } from '../../../kernel/headers.ts';
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
    // A proxy on this machine has its address, whoever asks.
    if (isLoopback(remoteAddress) && !hasPassedProxy(headers)) return;
    throw new GatewayError(
      'forbidden',
      'metrics are for this machine only; set WEIR_METRICS_TOKEN to read them from elsewhere',
    );
  }
  const sent = headerOf(headers, 'authorization') ?? '';
  if (!token.equals(sent.replace(/^bearer /i, '')))
    throw new GatewayError('authentication_required', 'send the metrics token as a bearer token');
}

function hasPassedProxy(headers: HeaderList): boolean {
  return headers.some((name, at) => at % 2 === 0 && isFromProxy(name.toLowerCase()));
}

function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1';
}
