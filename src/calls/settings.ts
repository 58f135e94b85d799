import { z } from 'zod';
import { limits } from '../kernel/limits.ts';
import { commaSeparatedList } from '../lib/setting-schemas.ts';
import { envVariable } from '../lib/settings.ts';

export const callSettings = {
  pipeline: envVariable('WEIR_PIPELINE', z.string().max(limits.pipelineTextMax).optional()),
  /** Packages that provide modules. */
  modulePackages: envVariable('WEIR_MODULES', commaSeparatedList.default([])),
  /** Size limit of the archive of one account. */
  archiveBytes: envVariable(
    'WEIR_ARCHIVE_BYTES',
    z.coerce
      .number()
      .pipe(
        z
          .int()
          .min(0)
          .max(1024 ** 4),
      )
      .default(64 * 1024 * 1024),
  ),
} as const;
