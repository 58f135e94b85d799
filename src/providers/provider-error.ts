import { type ErrorDetails, type GatewayError, providerError } from '../kernel/errors.ts';
import type { ErrorEvent } from '../kernel/message.ts';
import { contextOverflowCode, isContextOverflow, withOverflowPhrase } from '../wire/context-overflow.ts';

/** What a provider said went wrong in place of an answer, with what it counted; a conversation that is too long in words that agents know. */
export function toProviderError({ error, usage }: ErrorEvent, details: ErrorDetails = {}): GatewayError {
  const told = { ...details, ...(usage !== undefined && { usage }) };
  if (!isContextOverflow(error)) return providerError(error, told);
  const message = withOverflowPhrase(error.message);
  return providerError({ ...error, message }, { ...told, providerCode: contextOverflowCode });
}
