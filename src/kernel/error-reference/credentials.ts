import type { ErrorDescriptions } from '../error-reference.ts';

export const credentialErrors = {
  authentication_required: {
    cause: 'The route needs a credential and the request has none, or the credential has ended meanwhile.',
    remedy:
      'Send `authorization: Bearer <token>` with what the message asks for: an API key, a session token, `WEIR_LOCAL_TOKEN` or the metrics token.',
  },
  invalid_api_key: {
    cause:
      'The API key does not exist, was revoked or has [expired](../guides/access-rules.md), or the token is a session token, which can’t call models.',
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
  model_not_allowed: {
    cause:
      'The [access rules](../guides/access-rules.md) of the API key don’t allow the model, or the only models that the call could go to. Nothing was sent.',
    remedy: 'Use a model that `GET /v1/models` lists for the key, or ask the owner of the key.',
  },
  provider_not_allowed: {
    cause:
      'The [access rules](../guides/access-rules.md) of the API key don’t allow the provider of the model. Nothing was sent.',
    remedy: 'Use a model that `GET /v1/models` lists for the key, or ask the owner of the key.',
  },
  pipeline_not_allowed: {
    cause:
      'The [access rules](../guides/access-rules.md) of the API key don’t allow the pipeline in the header `x-weir-pipeline`.',
    remedy: 'Leave the header out, or ask the owner of the key.',
  },
  address_not_allowed: {
    cause:
      'The [access rules](../guides/access-rules.md) of the API key don’t allow the network address that the request comes from.',
    remedy:
      'Send requests from an allowed network. Behind a proxy, the operator sets [`WEIR_TRUST_PROXY`](settings.md).',
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
