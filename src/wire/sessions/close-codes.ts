import type { GatewayError } from '../../kernel/errors.ts';

/** The code with which a WebSocket closes because of an error (RFC 6455, 7.4.1). */
export function closeCodeFor({ code, status }: GatewayError): number {
  if (code === 'draining') return 1012;
  if (code === 'websocket_connection_limit_reached') return 1001;
  if (code === 'body_too_large') return 1009;
  if (status === 429 || status === 503) return 1013;
  return status < 500 ? 1008 : 1011;
}
