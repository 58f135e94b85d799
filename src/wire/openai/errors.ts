import type { StreamError } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { numberOf, objectOf, stringOf } from '../json-values.ts';

/** OpenAI's error type for a status; the code distinguishes a rejected key, permission or model. */
export function openaiErrorType(status: number): string {
  const named = typesByStatus[status];
  if (named !== undefined) return named;
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** The code by which clients know that waiting doesn't help. */
export const openaiErrorCodes = { cost_ceiling_exceeded: 'insufficient_quota' } as const;

/** Decodes the value of `error`, which for some providers is just a sentence. */
export function decodeOpenaiError(error: unknown): StreamError {
  const fields = objectOf(error) ?? {};
  const code = stringOf(fields.code) ?? numberOf(fields.code)?.toString();
  const message =
    stringOf(fields.message) ?? stringOf(error) ?? 'the provider reported an error without a message';
  return {
    ...fields,
    type: stringOf(fields.type) ?? code ?? 'server_error',
    message,
    status: statusOf(fields),
  };
}

/**
 * Errors in streams and under status 200 have no status line: Azure names the status, compatible providers send it as the
 * code, OpenAI sends names.
 */
function statusOf({ status, code, type }: JsonObject): number {
  const named = statusByCodeOrType.get(code) ?? statusByCodeOrType.get(type);
  return errorStatusOf(status) ?? errorStatusOf(code) ?? named ?? 500;
}

function errorStatusOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : (numberOf(value) ?? 0);
  return Number.isInteger(number) && number >= 400 && number < 600 ? number : undefined;
}

/** Encodes an error in OpenAI's format. */
export function encodeError({ status, type, ...rest }: StreamError): JsonObject {
  const named = status === undefined ? type : openaiErrorType(status);
  return { type: named, code: null, param: null, ...rest };
}

const typesByStatus: Readonly<Record<number, string>> = {
  402: 'insufficient_quota',
  429: 'rate_limit_error',
};

const statusByCodeOrType: ReadonlyMap<unknown, number> = new Map(
  Object.entries({
    invalid_request_error: 400,
    invalid_prompt: 400,
    content_filter: 400,
    context_length_exceeded: 400,
    authentication_error: 401,
    invalid_api_key: 401,
    permission_error: 403,
    not_found_error: 404,
    model_not_found: 404,
    rate_limit_error: 429,
    rate_limit_exceeded: 429,
    insufficient_quota: 429,
    server_is_overloaded: 503,
    slow_down: 503,
    overloaded_error: 529,
  }),
);
