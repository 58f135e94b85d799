import { GatewayError } from '../errors.ts';

/** For whatever can't be answered because a store doesn't answer us. */
export function storageUnavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError('storage_unavailable', `${message}; try again in a moment`, {
    cause,
    retryAfterSeconds: 1,
  });
}

/** Whether a store didn't answer or had no room, so that the same may work later. */
export function isStorageUnavailable(error: unknown): boolean {
  return GatewayError.is(error) && error.code === 'storage_unavailable';
}
