import type { ErrorDescriptions } from '../error-reference.ts';

export const sandboxErrors = {
  invalid_session_id: {
    cause: 'The id of the anonymous session is not a UUID.',
    remedy: 'Send the id as `POST /v1/anon/sessions` returned it.',
  },
  invalid_anon_token: {
    cause: 'The token is missing, or belongs to no anonymous session.',
    remedy: 'Send the token of `POST /v1/anon/sessions`, or start another session there.',
  },
  session_expired: {
    cause: 'The anonymous session has expired.',
    remedy: 'Start another with `POST /v1/anon/sessions`.',
  },
  request_limit_exceeded: {
    cause: 'The anonymous session has used all its requests.',
    remedy: 'Create an account, or start another session.',
  },
  sandbox_spent: {
    cause: 'Anonymous sessions have spent what the operator allows for a day.',
    remedy:
      'Come back the next day (UTC). The operator sets [`WEIR_SANDBOX_DAILY_USD`](../guides/sandbox.md).',
  },
  already_claimed: {
    cause: 'Another account has claimed this anonymous session.',
    remedy: 'Log in to that account.',
  },
} as const satisfies ErrorDescriptions;
