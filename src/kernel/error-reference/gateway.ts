import type { ErrorDescriptions } from '../error-reference.ts';

export const gatewayErrors = {
  set_by_environment: {
    cause: 'A variable of the environment decides what the request would change.',
    remedy: 'Remove the variable that the message names, and restart the gateway.',
  },
  busy: {
    cause:
      'Too many large requests are in flight, of this caller or of all; in the sandbox, the model is busy.',
    remedy: 'Try again after `retry-after`.',
  },
  draining: {
    cause: 'The gateway is shutting down and accepts no new calls.',
    remedy: 'Try again: another replica or the restarted gateway answers.',
  },
  storage_unavailable: {
    cause: 'The database or Redis does not answer, or accepts no writes.',
    remedy: 'Try again after `retry-after`. For the operator, `GET /ready` names the store.',
  },
  internal: {
    cause: 'A bug in the gateway.',
    remedy: 'Find `request_id` in the log, and report the error that stands there.',
  },
} as const satisfies ErrorDescriptions;
