import { z } from 'zod';
import { durationMs } from '../kernel/setting-schemas.ts';
import { combineSettings, envVariable } from '../kernel/settings.ts';

const dollars = 'must be dollars above 0, like 5 or 0.50';

/** What anonymous sessions may do. */
export const sandboxSettings = {
  sandbox: combineSettings(
    {
      /** Undefined: the operator's cheapest. */
      model: envVariable('WEIR_SANDBOX_MODEL', z.string().min(1).optional()),
      /** Requests of a session. */
      limit: envVariable(
        'WEIR_SANDBOX_LIMIT',
        z.coerce.number('must be a number of requests').int().min(1).max(1000).default(5),
      ),
      ttlMs: envVariable('WEIR_SANDBOX_TTL', durationMs.default(86_400_000)),
      /** What all sessions may spend in a day of UTC, as it is written in a pipeline. */
      dailyUsd: envVariable(
        'WEIR_SANDBOX_DAILY_USD',
        z
          .string()
          .regex(/^(?=.*[1-9])\d{1,6}(\.\d{1,9})?$/, dollars)
          .default('5'),
      ),
      /** By address. */
      sessionsPerHour: envVariable(
        'WEIR_SANDBOX_SESSIONS_PER_HOUR',
        z.coerce.number('must be a number of sessions').int().min(1).default(20),
      ),
    },
    (sandbox) => sandbox,
  ),
} as const;
