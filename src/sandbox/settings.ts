import { z } from 'zod';
import { durationMs } from '../lib/setting-schemas.ts';
import { combineSettings, envVariable } from '../lib/settings.ts';

const dollars = 'must be dollars above 0, like 5 or 0.50';

/** Limits of anonymous sessions. */
export const sandboxSettings = {
  sandbox: combineSettings(
    {
      /** Undefined for the operator's cheapest model. */
      model: envVariable('WEIR_SANDBOX_MODEL', z.string().min(1).optional(), 'sandbox.model'),
      /** Requests per session. */
      limit: envVariable(
        'WEIR_SANDBOX_LIMIT',
        z.coerce.number('must be a number of requests').int().min(1).max(1000).default(5),
        'sandbox.requests',
      ),
      ttlMs: envVariable('WEIR_SANDBOX_TTL', durationMs.default(86_400_000), 'sandbox.lifetime'),
      /** The daily budget of all sessions together (UTC), as written in a pipeline. */
      dailyUsd: envVariable(
        'WEIR_SANDBOX_DAILY_USD',
        z
          .string()
          .regex(/^(?=.*[1-9])\d{1,6}(\.\d{1,9})?$/, dollars)
          .default('5'),
        'sandbox.daily_usd',
      ),
      /** Per address. */
      sessionsPerHour: envVariable(
        'WEIR_SANDBOX_SESSIONS_PER_HOUR',
        z.coerce.number('must be a number of sessions').int().min(1).default(20),
        'sandbox.sessions_per_hour',
      ),
    },
    (sandbox) => sandbox,
  ),
} as const;
