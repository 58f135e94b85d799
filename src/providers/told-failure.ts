import { type ErrorDetails, type GatewayError, toldError } from '../kernel/errors.ts';
import type { ErrorEvent } from '../kernel/message.ts';
import { contextOverflow, isContextOverflow, overflowWords } from '../wire/context-overflow.ts';

/** What a provider said went wrong in place of an answer, with what it counted; a conversation that is too long in words that agents know. */
export function toldFailure({ error, usage }: ErrorEvent, details: ErrorDetails = {}): GatewayError {
  const told = { ...details, ...(usage !== undefined && { usage }) };
  if (!isContextOverflow(error)) return toldError(error, told);
  const message = overflowWords(error.message);
  return toldError({ ...error, message }, { ...told, toldCode: contextOverflow });
}
