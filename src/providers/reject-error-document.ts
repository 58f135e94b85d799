import { GatewayError } from '../kernel/errors.ts';
import { redactErrorEvent } from '../kernel/redact-secrets.ts';
import { toProviderError } from './provider-error.ts';
import type { ReadDocument } from './read-document.ts';

/**
 * Rejects a document that came instead of a stream if it is an error, or a page from a proxy: the client gets a status,
 * and the call can be retried.
 */
export function rejectErrorDocument({ response, events }: ReadDocument): void {
  if (events === undefined) return;
  const error = events.find((event) => event.type === 'error');
  if (error !== undefined) throw toProviderError(redactErrorEvent(error, response.secrets ?? []));
  if (events.length === 0)
    throw new GatewayError('upstream_broken', "the provider's response contains no message");
}
