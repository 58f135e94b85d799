import { z } from 'zod';
import { combined, variable } from '../kernel/settings.ts';

/** In place of a folder: everything is in the memory of the process, and gone with it. */
export const inMemory = ':memory:';

/** Where things are kept. */
export const storageSettings = {
  dataDir: variable('WEIR_DATA_DIR', z.string().min(1).default('./data')),
  /** Servers for many replicas; undefined keeps everything in the data folder and in this process. */
  stores: combined(
    {
      database: variable(
        'DATABASE_URL',
        urlOf(['postgres:', 'postgresql:'], 'must be a postgres:// address').optional(),
      ),
      redis: variable(
        'REDIS_URL',
        urlOf(['redis:', 'rediss:'], 'must be a redis:// or rediss:// address').optional(),
      ),
    },
    ({ database, redis }) =>
      database === undefined || redis === undefined ? undefined : { database, redis },
  ),
} as const;

function urlOf(protocols: readonly string[], message: string) {
  return z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), message);
}
