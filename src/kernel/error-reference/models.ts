import type { ErrorDescriptions } from '../error-reference.ts';

export const modelErrors = {
  model_not_found: {
    cause: 'No provider of this gateway has a model of this name, or the name can’t be one of a model.',
    remedy: 'Take a name from `GET /v1/models`, or write `<provider>/<model>`.',
  },
  alias_conflict: {
    cause: 'A provider has a model with the name that an [alias](../guides/aliases.md) should get.',
    remedy: 'Choose another name.',
  },
  provider_conflict: {
    cause:
      'This gateway has a provider with the name that a [provider of the account](../guides/providers/of-accounts.md) should get.',
    remedy: 'Choose another name.',
  },
  provider_limit_reached: {
    cause:
      'The account has as many [providers of its own](../guides/providers/of-accounts.md) as it can have.',
    remedy: 'Delete one.',
  },
  prompt_not_found: {
    cause:
      'The account has no [prompt](../guides/prompts.md) of this name, or the prompt has no such version or label.',
    remedy: 'Take a name from `GET /v1/prompts`, and a label or version from `GET /v1/prompts/<name>`.',
  },
  invalid_prompt_variables: {
    cause:
      'A call to a [prompt](../guides/prompts.md) gives no value for variables without a default, or values for others that it does not have. The message lists all of them.',
    remedy: 'Send the values in `prompt.variables`, under the names of the prompt.',
  },
  prompt_exists: {
    cause: 'A [prompt](../guides/prompts.md) that was to be created exists.',
    remedy: 'Add a version with `POST /v1/prompts/<name>/versions`, or choose another name.',
  },
  prompt_in_use: {
    cause:
      'The version of a [prompt](../guides/prompts.md) that was to be deleted is its newest one, or has a label.',
    remedy: 'Move its labels to another version, or delete the whole prompt.',
  },
  prompt_limit_reached: {
    cause: 'The account has as many [prompts](../guides/prompts.md), versions or labels as it can store.',
    remedy: 'Delete prompts or old versions.',
  },
  model_not_priced: {
    cause: 'The model has no known price, and the gateway or `cost-guard` refuses calls without one.',
    remedy:
      'Give the model a [price](prices.md), set `WEIR_UNKNOWN_MODELS=estimate`, or use `cost-guard?unknown=allow`.',
  },
  no_route: {
    cause:
      'None of the models that [`router`](../guides/routing.md) may choose from can take the call. The message has a reason for each, and `candidates` in the body lists them.',
    remedy:
      'Add a model that can do what the call needs, raise `max_usd`, or store a key for one of the providers. `GET /v1/route` explains a choice without a call.',
  },
  targets_unavailable: {
    cause:
      'All models that could take the call rest after failures or because their providers asked to wait.',
    remedy: 'Retry after the time in `retry-after`, or add a model of another provider.',
  },
  format_not_supported: {
    cause:
      'A field of the call, named in `param`, has no counterpart in the format of the model’s provider, and without it the answer would differ.',
    remedy: 'Remove the field, or choose a model whose provider uses the [format](formats.md) of your call.',
  },
  previous_response_not_found: {
    cause: '`previous_response_id` names a response that this gateway does not have, or no longer has.',
    remedy: 'Send the whole conversation in `input`.',
  },
  thread_not_found: {
    cause: '`thread.previous_message_id` names a message that this gateway does not have, or no longer has.',
    remedy:
      'Send the whole conversation with `thread: {"type": "create"}`, as Anthropic’s SDKs do by themselves.',
  },
} as const satisfies ErrorDescriptions;
