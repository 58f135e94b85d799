import { type ErrorCode, GatewayError } from '../kernel/errors.ts';

/** What the request log has about an error. */
interface ErrorFacts {
  readonly code: ErrorCode;
  /** What the provider calls it. */
  readonly providerError: string | undefined;
  /** The gateway's own explanation. */
  readonly message: string | undefined;
}

/** Errors whose messages may quote the request, the provider or what a module found in them. */
const quotingCodes: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'invalid_json',
  'blocked_by_module',
  'module_broken',
  'internal',
  'upstream_error',
]);

const errorName = /^[\w.-]{1,64}$/;

export function errorFactsOf(error: unknown): ErrorFacts {
  if (!GatewayError.is(error)) return { code: 'internal', providerError: undefined, message: undefined };
  const { code, message, details } = error;
  const name = details.providerCode ?? details.providerType ?? '';
  return {
    code,
    providerError: errorName.test(name) ? name : undefined,
    message: quotingCodes.has(code) ? undefined : message,
  };
}
