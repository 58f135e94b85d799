import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { limits } from '../kernel/limits.ts';
import { variable } from '../kernel/settings.ts';

export const workerSettings = {
  /** Processes that share the port. */
  workers: variable(
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
  ),
} as const;
