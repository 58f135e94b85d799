import { z } from 'zod';
import { combineSettings, envVariable } from '../lib/settings.ts';

/** Instead of a folder: keeps all data in memory, until the process ends. */
export const inMemoryDataDir = ':memory:';

export const storageSettings = {
  dataDir: envVariable('WEIR_DATA_DIR', z.string().min(1).default('./data')),
  /** Database and Redis for several replicas; undefined if data is stored in the data folder and in this process. */
  stores: combineSettings(
    {
      database: envVariable(
        'DATABASE_URL',
        urlSchema(['postgres:', 'postgresql:'], 'must be a postgres:// or postgresql:// URL').optional(),
      ),
      redis: envVariable(
        'REDIS_URL',
        urlSchema(['redis:', 'rediss:'], 'must be a redis:// or rediss:// URL').optional(),
      ),
    },
    ({ database, redis }) =>
      database === undefined || redis === undefined ? undefined : { database, redis },
  ),
} as const;

function urlSchema(protocols: readonly string[], message: string) {
  return z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), message);
}
