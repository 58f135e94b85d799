import { z } from 'zod';
import { secretText } from '../lib/setting-schemas.ts';
import { combineSettings, envVariable } from '../lib/settings.ts';
import { logLevels } from './log.ts';

/** Settings of logs and metrics. */
export const telemetrySettings = {
  logLevel: envVariable(
    'WEIR_LOG_LEVEL',
    z.enum(logLevels, 'must be debug, info, warn, error or silent').default('info'),
  ),
  /** The log file instead of standard output. */
  logFile: envVariable('WEIR_LOG_FILE', z.string().min(1).optional()),
  /** Whether the request log is on, and how long and how many calls it retains. */
  requestLog: combineSettings(
    {
      days: envVariable(
        'WEIR_LOG_DAYS',
        z.coerce.number('must be a number of days').int().min(0).max(3650).default(30),
      ),
      rowsMax: envVariable(
        'WEIR_LOG_ROWS',
        z.coerce.number('must be a number of calls').int().min(1000).optional(),
      ),
    },
    ({ days, rowsMax }) => ({ isOn: days > 0, retentionMs: days * 86_400_000, rowsMax }),
  ),
  metricsToken: envVariable('WEIR_METRICS_TOKEN', secretText.optional()),
} as const;
