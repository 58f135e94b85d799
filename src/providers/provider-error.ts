import { type ErrorDetails, type GatewayError, providerError } from '../kernel/errors.ts';
import type { ErrorEvent } from '../kernel/message.ts';
import { contextOverflowCode, isContextOverflow, withOverflowPhrase } from '../wire/context-overflow.ts';

/** The error for a provider's error event, with its usage; a context overflow is phrased as agents expect it. */
export function toProviderError({ error, usage }: ErrorEvent, details: ErrorDetails = {}): GatewayError {
  const errorDetails = { ...details, ...(usage !== undefined && { usage }) };
  if (!isContextOverflow(error)) return providerError(error, errorDetails);
  const message = withOverflowPhrase(error.message);
  return providerError({ ...error, message }, { ...errorDetails, providerCode: contextOverflowCode });
}
