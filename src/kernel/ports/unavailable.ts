import { GatewayError } from '../errors.ts';

/** For whatever can't be answered because a store doesn't answer us. */
export function unavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError('storage_unavailable', `${message}; try again in a moment`, {
    cause,
    retryAfterSeconds: 1,
  });
}
