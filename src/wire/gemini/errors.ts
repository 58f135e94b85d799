import type { StreamError } from '../../kernel/message.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { numberOf, objectOf, stringOf } from '../json-values.ts';
import { limits } from '../limits.ts';

/** Google's error type for a status (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto). */
export function errorTypeForStatus(status: number): string {
  const named = typeByStatus[status];
  if (named !== undefined) return named;
  return status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT';
}

const typeByStatus: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

/** Decodes the value of `error`. */
export function errorOf(error: unknown): StreamError {
  const fields = objectOf(error) ?? {};
  const status = numberOf(fields.code);
  const known = status !== undefined && status >= 400 && status < 600 ? status : undefined;
  const type = stringOf(fields.status) ?? 'INTERNAL';
  return {
    type,
    message: stringOf(fields.message) ?? 'the provider reported an error without a message',
    status: known ?? statusByType.get(type) ?? 500,
  };
}

/** Statuses from the same page. */
const statusByType: ReadonlyMap<string, number> = new Map([
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['OUT_OF_RANGE', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['ABORTED', 409],
  ['ALREADY_EXISTS', 409],
  ['RESOURCE_EXHAUSTED', 429],
  ['CANCELLED', 499],
  ['UNIMPLEMENTED', 501],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
]);

/** The error envelope for Google's clients: a numeric code, and further information in details. */
export const errorBody: NonNullable<WireFormat['errorBody']> = (
  envelope,
  { status, code: reason, details },
) => {
  const { code, message, ...rest } = objectOf(envelope.error) ?? {};
  const { retryAfterSeconds } = details;
  // As with the header: an agent would wait silently for so long. A provider's own delay is passed on.
  const isLong = reason !== 'upstream_error' && (retryAfterSeconds ?? 0) > limits.retryAfterSecondsMax;
  return {
    ...envelope,
    error: {
      code: status,
      message,
      status: errorTypeForStatus(status),
      details: [
        { '@type': errorInfo, reason: String(code).toUpperCase(), domain: 'weir' },
        ...(retryAfterSeconds === undefined || isLong
          ? []
          : [{ '@type': retryInfo, retryDelay: `${Math.ceil(retryAfterSeconds)}s` }]),
      ],
      ...rest,
    },
  };
};

const errorInfo = 'type.googleapis.com/google.rpc.ErrorInfo';
const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo';

/** The same error inside a stream. */
export function encodeError({ status = 500, message }: StreamError): JsonObject {
  return { error: { code: status, message, status: errorTypeForStatus(status) } };
}

/**
 * An error inside a stream as Google's SDKs expect it: without the name of the field, with `error` first, and without a
 * blank line. What follows the last blank line is an error for them, also if they don't recognize it.
 */
export function errorFrame({ error, ...rest }: JsonObject): Uint8Array {
  return Buffer.from(JSON.stringify({ error, ...rest }));
}
