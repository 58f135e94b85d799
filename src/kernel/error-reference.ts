import type { ErrorCode } from './errors.ts';

/** The subjects of docs/errors.md, in its order. */
export const errorSubjects = {
  request: 'The request',
  credentials: 'Credentials and access',
  models: 'Models and formats',
  modules: 'Modules and pipelines',
  costs: 'Costs and quotas',
  providers: 'Providers',
  accounts: 'Accounts and keys',
  billing: 'Billing and payments',
  sandbox: 'Sandbox',
  gateway: 'The gateway',
} as const;

export interface ErrorDescription {
  readonly subject: keyof typeof errorSubjects;
  readonly cause: string;
  readonly remedy: string;
}

/** Why each error occurs and what to do about it, in Markdown. A code without a description does not compile. */
export const errorReference: Readonly<Record<ErrorCode, ErrorDescription>> = {
  invalid_request: {
    subject: 'request',
    cause:
      'A field, parameter, header or the HTTP request itself is invalid. `param` names the field, where there is one. A malformed HTTP request can have another status: 408 (too late), 417 (unsupported `Expect`) or 431 (headers too large).',
    remedy: 'Correct what the message names. `GET /openapi.json` describes the body of every route.',
  },
  invalid_json: {
    subject: 'request',
    cause:
      'The body is not a JSON object in UTF-8, has a duplicate key, is nested too deeply or has too many values.',
    remedy: 'Send one valid JSON object within the [limits of a body](using.md#errors).',
  },
  method_not_allowed: {
    subject: 'request',
    cause: 'The path exists, but not with this method.',
    remedy: 'Use a method that the `allow` header of the response lists.',
  },
  not_found: {
    subject: 'request',
    cause: 'There is no such path, or no such key, session, call, receipt or pattern in your account.',
    remedy: 'Check the path against `GET /openapi.json`, and the id against the list of its route.',
  },
  body_too_slow: {
    subject: 'request',
    cause: 'The client sent the body too slowly, and the gateway closed the connection.',
    remedy: 'Send the whole body at once. Check the network, and proxies that buffer or throttle.',
  },
  body_too_large: {
    subject: 'request',
    cause: 'The body, before or after decompression, has more bytes than the route accepts.',
    remedy: 'Send less, for example smaller images or a shorter conversation.',
  },
  unsupported_encoding: {
    subject: 'request',
    cause: 'The `content-encoding` of the body is not supported.',
    remedy: 'Use `gzip`, `br` or `zstd`, or send the body uncompressed.',
  },
  unsupported_media_type: {
    subject: 'request',
    cause: 'The `content-type` of the body is not `application/json`.',
    remedy: 'Send JSON with `content-type: application/json`.',
  },
  wrong_host: {
    subject: 'request',
    cause: 'The `Host` header names a host that this gateway does not serve.',
    remedy: 'Call an address of the gateway, or add the name to [`WEIR_ALLOWED_HOSTS`](settings.md).',
  },
  cross_site: {
    subject: 'request',
    cause:
      'A web page of another origin made the request, or used the session cookie from outside the gateway’s own pages.',
    remedy:
      'Add the origin to [`WEIR_CORS_ORIGINS`](settings.md); send a token in `authorization` instead of the cookie.',
  },
  loop_detected: {
    subject: 'request',
    cause: 'The request has passed through this gateway before: a provider’s address points back at it.',
    remedy: 'Correct the `WEIR_<NAME>_BASE_URL` that leads to the gateway, or the proxy in between.',
  },
  client_gone: {
    subject: 'request',
    cause: 'The client closed the connection before the answer was complete. Only the request log shows it.',
    remedy: 'None needed if the client stopped on purpose; otherwise raise the client’s timeout.',
  },

  authentication_required: {
    subject: 'credentials',
    cause: 'The route needs a credential and the request has none, or the credential has ended meanwhile.',
    remedy:
      'Send `authorization: Bearer <token>` with what the message asks for: an API key, a session token, `WEIR_LOCAL_TOKEN` or the metrics token.',
  },
  invalid_api_key: {
    subject: 'credentials',
    cause:
      'The API key does not exist or was revoked, or the token is a session token, which can’t call models.',
    remedy: 'Send an active API key; `POST /v1/keys` creates one.',
  },
  credentials_disagree: {
    subject: 'credentials',
    cause: 'The request carries two different credentials of the same kind.',
    remedy: 'Send one. Look for a client or proxy that adds a second header or cookie.',
  },
  forbidden: {
    subject: 'credentials',
    cause: '`/metrics` was read from another machine or through a proxy, and no metrics token is set.',
    remedy: 'Set [`WEIR_METRICS_TOKEN`](settings.md) and send it as a bearer token.',
  },
  provider_key_missing: {
    subject: 'credentials',
    cause: 'There is no key for the provider of the model: none in the call, none stored, none set.',
    remedy:
      'Send the key as `x-provider-key`, store it with `PUT /v1/byok/<provider>`, or in local mode start the gateway with `<PROVIDER>_API_KEY`.',
  },
  provider_key_mismatch: {
    subject: 'credentials',
    cause:
      'The provider key has the form of another provider’s key, or names another provider. It was not sent.',
    remedy: 'Send the key of the provider that serves the model, or choose a model of the key’s provider.',
  },
  provider_key_exists: {
    subject: 'credentials',
    cause: 'An API key tried to replace or delete a stored provider key. It can only store the first one.',
    remedy: 'Use a session token: log in, or use the dashboard.',
  },
  provider_key_unreadable: {
    subject: 'credentials',
    cause: 'The stored provider key can’t be decrypted: the gateway’s secret has changed.',
    remedy:
      'Store the provider key again, or set [`WEIR_SECRET_PREVIOUS`](operating.md#changing-the-secret) to the former secret.',
  },

  model_not_found: {
    subject: 'models',
    cause: 'No provider of this gateway has a model of this name, or the name can’t be one of a model.',
    remedy: 'Take a name from `GET /v1/models`, or write `<provider>/<model>`.',
  },
  model_not_priced: {
    subject: 'models',
    cause: 'The model has no known price, and the gateway or `cost-guard` refuses calls without one.',
    remedy:
      'Give the model a [price](prices.md), set `WEIR_UNKNOWN_MODELS=estimate`, or use `cost-guard?unknown=allow`.',
  },
  format_not_supported: {
    subject: 'models',
    cause:
      'A field of the call, named in `param`, has no counterpart in the format of the model’s provider, and without it the answer would differ.',
    remedy: 'Remove the field, or choose a model whose provider uses the [format](formats.md) of your call.',
  },
  previous_response_not_found: {
    subject: 'models',
    cause: '`previous_response_id` names a response that this gateway does not have, or no longer has.',
    remedy: 'Send the whole conversation in `input`.',
  },

  bad_pipeline: {
    subject: 'modules',
    cause: 'The list of modules is too long or names a module twice.',
    remedy:
      'Correct the [pipeline](using.md#pipelines) in `x-weir-pipeline`, the API key or `WEIR_PIPELINE`.',
  },
  unknown_module: {
    subject: 'modules',
    cause: 'The pipeline names a module that this gateway does not have.',
    remedy: 'Take a name from `GET /v1/capabilities`; load packages with [`WEIR_MODULES`](settings.md).',
  },
  bad_module_option: {
    subject: 'modules',
    cause: 'An option of a module is unknown, invalid or given twice. `param` names it.',
    remedy: 'Correct the option; the [module’s page](modules/README.md) lists its options.',
  },
  blocked_by_module: {
    subject: 'modules',
    cause: 'A module rejected the call for a reason of its own, which `detail` names.',
    remedy: 'Change the call as the message says, or leave the module out of the pipeline.',
  },
  module_broken: {
    subject: 'modules',
    cause: 'A module failed, and calls may not go on without it. The log has the error.',
    remedy: 'Leave the module out of the pipeline, and report the bug to its author.',
  },

  request_cost_exceeded: {
    subject: 'costs',
    cause: 'The call could cost more than one request may ([ceilings](ceilings.md)).',
    remedy: 'Lower the limit of output tokens, send less, or raise the ceiling of a request.',
  },
  cost_ceiling_exceeded: {
    subject: 'costs',
    cause:
      'The call could cost more than is left of the key’s [ceiling](ceilings.md) for this window. OpenAI’s formats carry the code `insufficient_quota` instead.',
    remedy: 'Wait until `resets_at`, lower the limit of output tokens, or raise the ceiling.',
  },
  tier_cap_reached: {
    subject: 'costs',
    cause: 'The account has used all calls of its period, and has no credits for more.',
    remedy: 'Wait until `resets_at`, or get a higher tier or credits at `upgrade_url`.',
  },
  concurrency_limit: {
    subject: 'costs',
    cause: 'Calls in flight hold all that is left of the account’s calls of this period.',
    remedy: 'Send the call again when one of them has ended.',
  },
  too_many_failures: {
    subject: 'costs',
    cause: 'Too many calls of this account, or unpaid calls of this address, failed in a short time.',
    remedy: 'Wait for `retry-after`, and correct what makes the calls fail.',
  },
  too_many_attempts: {
    subject: 'costs',
    cause: 'This address or account used a rate-limited route too often, such as login, sign-up or payments.',
    remedy: 'Wait for `retry-after`.',
  },

  upstream_error: {
    subject: 'providers',
    cause:
      'The provider answered with an error. The status is the provider’s, and so is `code` where the provider gave one; `context_length_exceeded` stands for every provider’s error that a request is too long for the model.',
    remedy: 'Follow the provider’s message, which the error quotes.',
  },
  upstream_unreachable: {
    subject: 'providers',
    cause: 'The gateway could not connect to the provider.',
    remedy: 'Try again. Check the provider’s status, `WEIR_<NAME>_BASE_URL`, name resolution and firewalls.',
  },
  upstream_broken: {
    subject: 'providers',
    cause: 'The provider’s answer broke off, was empty, too large or not in its format.',
    remedy: 'Try again, unless `x-should-retry` is `false`. The request log names the provider.',
  },
  upstream_timeout: {
    subject: 'providers',
    cause: 'The provider did not answer in time, or went silent during its answer.',
    remedy: 'Try again, or raise [`WEIR_UPSTREAM_TIMEOUT`](settings.md).',
  },

  wrong_login: {
    subject: 'accounts',
    cause: 'The e-mail address or the password is wrong; in local mode, the token.',
    remedy: 'Correct it, or reset the password.',
  },
  wrong_password: {
    subject: 'accounts',
    cause: 'The password that confirms a change of the account is wrong.',
    remedy: 'Send the account’s current password.',
  },
  invalid_token: {
    subject: 'accounts',
    cause: 'The link of a mail was used before, or has expired.',
    remedy: 'Request another mail.',
  },
  account_disabled: {
    subject: 'accounts',
    cause: 'The operator has disabled the account.',
    remedy: 'Ask the operator of the gateway.',
  },
  email_taken: {
    subject: 'accounts',
    cause: 'An account with this e-mail address exists.',
    remedy: 'Log in, or reset the password.',
  },
  key_limit_reached: {
    subject: 'accounts',
    cause: 'The account has as many active API keys as it may have.',
    remedy: 'Revoke one with `DELETE /v1/keys/<id>`.',
  },
  pattern_limit_reached: {
    subject: 'accounts',
    cause: 'The account has as many [patterns](patterns.md) as it may have.',
    remedy: 'Delete some.',
  },
  mail_not_configured: {
    subject: 'accounts',
    cause: 'The gateway sends no mail, so it can’t reset passwords or verify addresses.',
    remedy: 'The operator sets [`WEIR_SMTP_URL` and `WEIR_MAIL_FROM`](accounts.md#mail).',
  },
  local_mode: {
    subject: 'accounts',
    cause: 'The route belongs to accounts, keys or billing, and the gateway runs in local mode.',
    remedy: 'Run the gateway with [`WEIR_MODE=cloud`](accounts.md), or do without the route.',
  },

  paid_tier_required: {
    subject: 'billing',
    cause: 'The account is free, and credits are for paid tiers.',
    remedy: 'Subscribe: `upgrade_url`, or `POST /v1/billing/checkout`.',
  },
  already_subscribed: {
    subject: 'billing',
    cause: 'The account has a subscription already.',
    remedy: 'Change it in the portal that `POST /v1/billing/portal` leads to.',
  },
  billing_not_configured: {
    subject: 'billing',
    cause: 'The gateway has no payment processor, price or webhook secret for this.',
    remedy:
      'The operator sets the `STRIPE_…` variables that `detail` is about: [billing](billing.md#setting-it-up).',
  },
  processor_failed: {
    subject: 'billing',
    cause: 'The payment processor did not answer, or refused.',
    remedy: 'Try again in a moment. The log has the processor’s answer.',
  },
  invalid_signature: {
    subject: 'billing',
    cause: 'A webhook was not signed with `STRIPE_WEBHOOK_SECRET`, or was signed too long ago.',
    remedy: 'Set the secret that Stripe shows for this webhook, and check the clock of the machine.',
  },
  idempotency_key_in_use: {
    subject: 'billing',
    cause: 'A paid call with this `Idempotency-Key` is in flight.',
    remedy: 'Send the same call again after `retry-after` to get its answer.',
  },
  idempotency_key_reused: {
    subject: 'billing',
    cause:
      'The `Idempotency-Key` was used with the same credential for another body. Nothing was charged again.',
    remedy: 'Use a new key for a new body.',
  },

  invalid_session_id: {
    subject: 'sandbox',
    cause: 'The id of the anonymous session is not a UUID.',
    remedy: 'Send the id as `POST /v1/anon/sessions` returned it.',
  },
  invalid_anon_token: {
    subject: 'sandbox',
    cause: 'The token is missing, or belongs to no anonymous session.',
    remedy: 'Send the token of `POST /v1/anon/sessions`, or start another session there.',
  },
  session_expired: {
    subject: 'sandbox',
    cause: 'The anonymous session has expired.',
    remedy: 'Start another with `POST /v1/anon/sessions`.',
  },
  request_limit_exceeded: {
    subject: 'sandbox',
    cause: 'The anonymous session has used all its requests.',
    remedy: 'Create an account, or start another session.',
  },
  sandbox_spent: {
    subject: 'sandbox',
    cause: 'Anonymous sessions have spent what the operator allows for a day.',
    remedy: 'Come back the next day (UTC). The operator sets [`WEIR_SANDBOX_DAILY_USD`](sandbox.md).',
  },
  already_claimed: {
    subject: 'sandbox',
    cause: 'Another account has claimed this anonymous session.',
    remedy: 'Log in to that account.',
  },

  busy: {
    subject: 'gateway',
    cause:
      'Too many large requests are in flight, of this caller or of all; in the sandbox, the model is busy.',
    remedy: 'Try again after `retry-after`.',
  },
  draining: {
    subject: 'gateway',
    cause: 'The gateway is shutting down and accepts no new calls.',
    remedy: 'Try again: another replica or the restarted gateway answers.',
  },
  storage_unavailable: {
    subject: 'gateway',
    cause: 'The database or Redis does not answer, or accepts no writes.',
    remedy: 'Try again after `retry-after`. For the operator, `GET /ready` names the store.',
  },
  internal: {
    subject: 'gateway',
    cause: 'A bug in the gateway.',
    remedy: 'Find `request_id` in the log, and report the error that stands there.',
  },
};
