export function openaiErrorType(status: number): string {
  const named = namesByStatus[status];
  if (named !== undefined) return named;
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

const namesByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};
