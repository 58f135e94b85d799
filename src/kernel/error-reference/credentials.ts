import type { ErrorDescriptions } from '../error-reference.ts';

export const credentialErrors = {
  authentication_required: {
    cause: 'The route needs a credential and the request has none, or the credential has ended meanwhile.',
    remedy:
      'Send `authorization: Bearer <token>` with what the message asks for: an API key, a session token, `WEIR_LOCAL_TOKEN` or the metrics token.',
  },
  invalid_api_key: {
    cause:
      'The API key does not exist or was revoked, or the token is a session token, which can’t call models.',
    remedy: 'Send an active API key; `POST /v1/keys` creates one.',
  },
  credentials_disagree: {
    cause: 'The request carries two different credentials of the same kind.',
    remedy: 'Send one. Look for a client or proxy that adds a second header or cookie.',
  },
  forbidden: {
    cause:
      '`/metrics` was read from another machine or through a proxy, and no metrics token is set; or the person’s role in the account does not allow the request.',
    remedy:
      'Set [`WEIR_METRICS_TOKEN`](settings.md) and send it as a bearer token; or ask an owner of the account.',
  },
  provider_key_missing: {
    cause: 'There is no key for the provider of the model: none in the call, none stored, none set.',
    remedy:
      'Send the key as `x-provider-key`, store it with `PUT /v1/byok/<provider>`, or in local mode start the gateway with `<PROVIDER>_API_KEY`.',
  },
  provider_key_mismatch: {
    cause:
      'The provider key has the form of another provider’s key, or names another provider. It was not sent.',
    remedy: 'Send the key of the provider that serves the model, or choose a model of the key’s provider.',
  },
  provider_key_exists: {
    cause:
      'An API key tried to add, replace or delete a stored provider key. It can only store the first one.',
    remedy: 'Use a session token: log in, or use the dashboard.',
  },
  provider_key_unreadable: {
    cause: 'The stored provider key can’t be decrypted: the gateway’s secret has changed.',
    remedy:
      'Store the provider key again, or set [`WEIR_SECRET_PREVIOUS`](../guides/operating.md#changing-the-secret) to the former secret.',
  },
} as const satisfies ErrorDescriptions;
