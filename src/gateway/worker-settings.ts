import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { parseDuration } from '../lib/duration.ts';
import { limits as libLimits } from '../lib/limits.ts';
import { envVariable } from '../lib/settings.ts';
import { limits } from './limits.ts';

export const workerSettings = {
  /** The number of worker processes. */
  workers: envVariable(
    'WEIR_WORKERS',
    z
      .string()
      .transform((text, context) => {
        const count = text === 'auto' ? Math.min(availableParallelism(), limits.workersMax) : Number(text);
        if (Number.isInteger(count) && count >= 1 && count <= limits.workersMax) return count;
        context.addIssue(`must be auto, or a number from 1 to ${limits.workersMax}`);
        return z.NEVER;
      })
      .default(1),
    'server.workers',
  ),
  /** How long the event loop may be blocked before the process is ended; infinite if off. */
  watchdogMs: envVariable(
    'WEIR_WATCHDOG',
    z
      .string()
      .transform((text, context) => {
        const ms = text === 'off' ? 0 : (parseDuration(text) ?? Number.NaN) * 1000;
        if (ms === 0) return Number.POSITIVE_INFINITY;
        if (ms >= 1000 && ms <= libLimits.timerMsMax) return ms;
        context.addIssue('must be off, or a duration such as 10s or 1m, 1s at least and 24d at most');
        return z.NEVER;
      })
      .default(10_000),
    'server.watchdog',
  ),
} as const;
