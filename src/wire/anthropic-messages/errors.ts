import type { StreamError } from '../../kernel/message.ts';

/** Anthropic's error type for a status. */
export function errorTypeForStatus(status: number): string {
  const named = Object.entries(statusByType).find(([, of]) => of === status);
  if (named !== undefined) return named[0];
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

export function statusForErrorType(name: string): number | undefined {
  return Object.hasOwn(statusByType, name) ? statusByType[name] : undefined;
}

/** Encodes an error in Anthropic's format. */
export function encodeError({ status, ...error }: StreamError): StreamError {
  return status === undefined ? error : { ...error, type: errorTypeForStatus(status) };
}

const statusByType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
