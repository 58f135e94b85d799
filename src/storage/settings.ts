import { z } from 'zod';
import { combineSettings, envVariable } from '../kernel/settings.ts';

/** In place of a folder: everything is in the memory of the process, and gone with it. */
export const inMemoryDataDir = ':memory:';

/** Where things are kept. */
export const storageSettings = {
  dataDir: envVariable('WEIR_DATA_DIR', z.string().min(1).default('./data')),
  /** Servers for many replicas; undefined keeps everything in the data folder and in this process. */
  stores: combineSettings(
    {
      database: envVariable(
        'DATABASE_URL',
        urlSchema(['postgres:', 'postgresql:'], 'must be a postgres:// address').optional(),
      ),
      redis: envVariable(
        'REDIS_URL',
        urlSchema(['redis:', 'rediss:'], 'must be a redis:// or rediss:// address').optional(),
      ),
    },
    ({ database, redis }) =>
      database === undefined || redis === undefined ? undefined : { database, redis },
  ),
} as const;

function urlSchema(protocols: readonly string[], message: string) {
  return z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), message);
}
