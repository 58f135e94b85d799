import { type ErrorCode, type ErrorDetails, GatewayError } from '../kernel/errors.ts';

/** Something that was thrown, on its way to another process. */
export interface SerializedError {
  readonly message: string;
  /** With a code it is for callers; without one it is a bug. */
  readonly code?: ErrorCode;
  readonly details?: ErrorDetails;
}

export function serializeError(thrown: unknown): SerializedError {
  if (!GatewayError.is(thrown)) return { message: thrown instanceof Error ? thrown.message : String(thrown) };
  // Neither can be sent: a cause is anything at all, and an upstream's answer has functions in it.
  const { cause: _, upstream: __, ...details } = thrown.details;
  return { message: thrown.message, code: thrown.code, details };
}

export function deserializeError({ message, code, details }: SerializedError): Error {
  return code === undefined ? new Error(message) : new GatewayError(code, message, details);
}
