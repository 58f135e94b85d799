import type { ErrorDescriptions } from '../error-reference.ts';

export const modelErrors = {
  model_not_found: {
    cause: 'No provider of this gateway has a model of this name, or the name can’t be one of a model.',
    remedy: 'Take a name from `GET /v1/models`, or write `<provider>/<model>`.',
  },
  model_not_priced: {
    cause: 'The model has no known price, and the gateway or `cost-guard` refuses calls without one.',
    remedy:
      'Give the model a [price](prices.md), set `WEIR_UNKNOWN_MODELS=estimate`, or use `cost-guard?unknown=allow`.',
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
