import type { HeaderList } from '../lib/headers.ts';
import type { StreamError, Usage } from './message.ts';
import type { ProviderFormat } from './wire-format.ts';

/** All error codes with their HTTP status. */
export const errorStatus = {
  invalid_request: 400,
  invalid_json: 400,
  bad_pipeline: 400,
  unknown_module: 400,
  bad_module_option: 400,
  unknown_configuration: 400,
  invalid_prompt_variables: 400,
  credentials_disagree: 400,
  provider_key_mismatch: 400,
  format_not_supported: 400,
  model_not_priced: 400,
  no_route: 400,
  request_cost_exceeded: 400,
  previous_response_not_found: 400,
  blocked_by_module: 400,
  invalid_session_id: 400,
  invalid_signature: 400,
  invalid_token: 400,
  mcp_authorization_failed: 400,
  authentication_required: 401,
  invalid_api_key: 401,
  invalid_anon_token: 401,
  wrong_login: 401,
  wrong_password: 401,
  sign_on_failed: 401,
  second_factor_required: 401,
  wrong_second_factor: 401,
  wrong_passkey: 401,
  provider_key_missing: 401,
  cost_ceiling_exceeded: 402,
  cross_site: 403,
  forbidden: 403,
  model_not_allowed: 403,
  provider_not_allowed: 403,
  pipeline_not_allowed: 403,
  address_not_allowed: 403,
  provider_key_exists: 403,
  paid_tier_required: 403,
  account_disabled: 403,
  signup_closed: 403,
  invitation_required: 403,
  email_unverified: 403,
  sign_on_required: 403,
  mcp_authorization_required: 403,
  mcp_person_required: 403,
  not_found: 404,
  model_not_found: 404,
  thread_not_found: 404,
  prompt_not_found: 404,
  method_not_allowed: 405,
  body_too_slow: 408,
  email_taken: 409,
  already_member: 409,
  passkey_exists: 409,
  passkey_limit_reached: 409,
  passkey_needed: 409,
  passkeys_unavailable: 409,
  last_owner: 409,
  legal_hold: 409,
  domain_taken: 409,
  domain_unproven: 409,
  member_limit_reached: 409,
  scim_token_limit_reached: 409,
  token_issuer_limit_reached: 409,
  token_issuer_exists: 409,
  scim_refused: 409,
  service_account_limit_reached: 409,
  service_account_exists: 409,
  project_limit_reached: 409,
  project_exists: 409,
  project_archived: 409,
  key_limit_reached: 409,
  pattern_limit_reached: 409,
  webhook_limit_reached: 409,
  budget_limit_reached: 409,
  webhook_disabled: 409,
  configuration_limit_reached: 409,
  configuration_in_use: 409,
  prompt_limit_reached: 409,
  prompt_exists: 409,
  prompt_in_use: 409,
  import_refused: 422,
  import_running: 409,
  set_by_environment: 409,
  alias_conflict: 409,
  provider_conflict: 409,
  provider_limit_reached: 409,
  mcp_server_limit_reached: 409,
  already_claimed: 409,
  idempotency_key_in_use: 409,
  already_subscribed: 409,
  session_expired: 410,
  scim_version: 412,
  body_too_large: 413,
  unsupported_encoding: 415,
  unsupported_media_type: 415,
  wrong_host: 421,
  idempotency_key_reused: 422,
  websocket_connection_limit_reached: 400,
  upgrade_required: 426,
  too_many_attempts: 429,
  too_many_failures: 429,
  rate_limited: 429,
  concurrency_limit: 429,
  tier_cap_reached: 429,
  request_limit_exceeded: 429,
  client_gone: 499,
  internal: 500,
  provider_key_unreadable: 500,
  module_broken: 500,
  upstream_error: 502,
  upstream_unreachable: 502,
  upstream_broken: 502,
  processor_failed: 502,
  mcp_server_failed: 502,
  mcp_server_refused: 502,
  mcp_server_unreachable: 502,
  busy: 503,
  draining: 503,
  local_mode: 503,
  billing_not_configured: 503,
  mail_not_configured: 503,
  storage_unavailable: 503,
  sandbox_spent: 503,
  targets_unavailable: 503,
  upstream_timeout: 504,
  mcp_server_timeout: 504,
  loop_detected: 508,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** An error response of a provider, unchanged. */
interface UpstreamErrorResponse {
  readonly wire: ProviderFormat;
  readonly status: number;
  readonly headers: HeaderList;
  readonly bytes: Uint8Array;
}

export interface ErrorDetails {
  readonly cause?: unknown;
  readonly param?: string;
  readonly detail?: string;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** When the exhausted quota or budget is available again. */
  readonly resetsAtMs?: number;
  /** False if retrying the same call cannot help. */
  readonly shouldRetry?: boolean;
  /** Whether the provider broke off an answer that had begun. */
  readonly isInterruption?: true;
  readonly upstream?: UpstreamErrorResponse;
  /** The usage that a provider reported with its error. */
  readonly usage?: Usage;
  /** The provider's own error code, which its clients know better than ours. */
  readonly providerCode?: string;
  /** The provider's own type of error, such as `overloaded_error` or `RESOURCE_EXHAUSTED`. */
  readonly providerType?: string;
  /** What is wrong with the provider key, if the provider says so in its body. */
  readonly keyProblem?: KeyProblem;
  /** Where to get more of what is used up. */
  readonly upgradeUrl?: string;
  /** The person whose login failed, for the audit log. */
  readonly user?: string | undefined;
  /** The caller that was refused, for the audit log. */
  readonly refused?: { readonly account?: string | undefined; readonly actor?: string | undefined };
  readonly headers?: HeaderList;
  /** Fields next to `error` in the body. */
  readonly extraFields?: Readonly<Record<string, unknown>>;
}

/** A provider rejects the key, or it has no credit left. */
export type KeyProblem = 'rejected' | 'unpaid';

const brand = Symbol.for('weir.GatewayError');
const originals = new WeakMap<GatewayError, GatewayError>();

/** An error that is reported to the caller. Anything else that is thrown is a bug. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.name = 'GatewayError';
    this.code = code;
    this.status = details.status ?? errorStatus[code];
    this.details = details;
    Object.defineProperty(this, brand, { value: true });
  }

  /** The same error with the time of a possible retry. */
  withRetryAfter(seconds: number): GatewayError {
    const copy = new GatewayError(this.code, this.message, { ...this.details, retryAfterSeconds: seconds });
    originals.set(copy, this);
    return copy;
  }

  /** The error that this one was copied from, or the error itself. */
  static originalOf(error: unknown): unknown {
    return GatewayError.is(error) ? (originals.get(error) ?? error) : error;
  }

  /** Checks a symbol instead of the class, so that two copies of the package agree. */
  static is(thrown: unknown): thrown is GatewayError {
    return typeof thrown === 'object' && thrown !== null && brand in thrown;
  }
}

/** Errors that a retry cannot fix until someone acts. */
export function isPermanent({ code, status, details }: GatewayError): boolean {
  if (details.shouldRetry !== undefined) return !details.shouldRetry;
  return permanentStatuses.has(status) || code === 'loop_detected' || code === 'provider_key_unreadable';
}

/** Some clients retry even these for minutes, which hides the reason. */
const permanentStatuses = new Set([400, 401, 402, 403, 404]);

/** Whether a provider broke its answer off. Inside a stream clients get the same, since they retry after a broken connection. */
export function isInterruption(thrown: unknown): boolean {
  return GatewayError.is(thrown) && thrown.details.isInterruption === true;
}

/** An error that a provider reported inside an answer. */
export function providerError(
  { type, message, status }: StreamError,
  details: ErrorDetails = {},
): GatewayError {
  return new GatewayError('upstream_error', message, {
    ...details,
    providerType: type,
    ...(status !== undefined && { status }),
  });
}

/** Whether the gateway or a module rejected the call, as opposed to a failure of something that they use. */
export function isRejection(thrown: unknown): thrown is GatewayError {
  if (!GatewayError.is(thrown)) return false;
  return thrown.code === 'targets_unavailable' || (thrown.status < 500 && thrown.code !== 'upstream_error');
}
