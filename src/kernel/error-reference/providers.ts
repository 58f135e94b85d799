import type { ErrorDescriptions } from '../error-reference.ts';

export const providerErrors = {
  upstream_error: {
    cause:
      'The provider answered with an error. The status is the provider’s, and so is `code` where the provider gave one; `context_length_exceeded` stands for every provider’s error that a request is too long for the model.',
    remedy: 'Follow the provider’s message, which the error quotes.',
  },
  upstream_unreachable: {
    cause: 'The gateway could not connect to the provider.',
    remedy: 'Try again. Check the provider’s status, `WEIR_<NAME>_BASE_URL`, name resolution and firewalls.',
  },
  upstream_broken: {
    cause: 'The provider’s answer broke off, was empty, too large or not in its format.',
    remedy: 'Try again, unless `x-should-retry` is `false`. The request log names the provider.',
  },
  upstream_timeout: {
    cause: 'The provider did not answer in time, or went silent during its answer.',
    remedy: 'Try again, or raise [`WEIR_UPSTREAM_TIMEOUT`](settings.md).',
  },
} as const satisfies ErrorDescriptions;
