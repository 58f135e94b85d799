import { type ErrorCode, type ErrorDetails, GatewayError } from '../kernel/errors.ts';

/** An error in a form that can be sent to another process. */
export interface SerializedError {
  readonly message: string;
  /** The code of a `GatewayError`; without one the error is a bug. */
  readonly code?: ErrorCode;
  readonly details?: ErrorDetails;
}

export function serializeError(thrown: unknown): SerializedError {
  if (!GatewayError.is(thrown)) return { message: thrown instanceof Error ? thrown.message : String(thrown) };
  // Neither can be cloned: a cause can be anything, and an upstream response has functions.
  const { cause: _, upstream: __, ...details } = thrown.details;
  return { message: thrown.message, code: thrown.code, details };
}

export function deserializeError({ message, code, details }: SerializedError): Error {
  return code === undefined ? new Error(message) : new GatewayError(code, message, details);
}
