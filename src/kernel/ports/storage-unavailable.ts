import { GatewayError } from '../errors.ts';

/** The error for a store that doesn't respond. */
export function storageUnavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError('storage_unavailable', `${message}; try again in a moment`, {
    cause,
    retryAfterSeconds: 1,
  });
}

/** Whether a store didn't respond or had no room, so that a retry may work. */
export function isStorageUnavailable(error: unknown): boolean {
  return GatewayError.is(error) && error.code === 'storage_unavailable';
}
