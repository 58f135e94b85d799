import type { ErrorCode } from '../../kernel/errors.ts';
import type { StreamError } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { numberOf, objectOf, stringOf } from '../json-values.ts';

/** The API's error code for a status (https://ai.google.dev/gemini-api/docs/api-errors). */
export function errorTypeForStatus(status: number): string {
  return typeByStatus.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request');
}

const typeByStatus: ReadonlyMap<number, string> = new Map([
  [401, 'authentication'],
  [402, 'payment_required'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [429, 'rate_limit_exceeded'],
  [499, 'cancelled'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [504, 'deadline_exceeded'],
  [529, 'unavailable'],
]);

/** The API's own codes for known errors. */
export const errorCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  previous_response_not_found: 'not_found',
};

/** Decodes the value of `error`. */
export function errorOf(error: unknown): StreamError {
  const { code, message } = objectOf(error) ?? {};
  const type = stringOf(code) ?? 'api_error';
  return {
    type,
    message: stringOf(message) ?? 'the provider reported an error without a message',
    status: statusOf(code),
  };
}

/** A number where a gateway in between wrote the error. */
function statusOf(code: unknown): number {
  const number = numberOf(code);
  if (number !== undefined && number >= 400 && number < 600) return number;
  return statusByCode.get(code) ?? 500;
}

const statusByCode: ReadonlyMap<unknown, number> = new Map(
  Object.entries({
    invalid_request: 400,
    failed_precondition: 400,
    parameter_unknown: 400,
    authentication: 401,
    payment_required: 402,
    permission_denied: 403,
    not_found: 404,
    model_not_found: 404,
    out_of_range: 416,
    rate_limit_exceeded: 429,
    quota_exceeded: 429,
    cancelled: 499,
    unavailable: 503,
    overloaded: 503,
    deadline_exceeded: 504,
  }),
);

/** An error in the middle of a stream. */
export function errorFrame(envelope: JsonObject): Uint8Array {
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ event_type: 'error', ...envelope })}\n\n`);
}

export function encodeError({ status = 500, message }: StreamError): JsonObject {
  return { code: errorTypeForStatus(status), message };
}
