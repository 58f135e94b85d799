import { z } from 'zod';
import { Secret } from '../lib/secret.ts';
import { combineSettings, envVariable } from '../lib/settings.ts';
import { limits } from './limits.ts';
import { parseRedisUrl } from './redis/redis-address.ts';

/** Instead of a folder: keeps all data in memory, until the process ends. */
export const inMemoryDataDir = ':memory:';

const poolSize = z.coerce
  .number('must be a number from 2 to 200')
  .int()
  .min(2, 'must be 2 or more')
  .max(200, 'must be 200 or less');

const redisUrl = z.string().superRefine((text, context) => {
  try {
    parseRedisUrl(text);
  } catch (error) {
    context.addIssue(String(Object(error).message));
  }
});

export const storageSettings = {
  dataDir: envVariable('WEIR_DATA_DIR', z.string().min(1).default('./data'), 'storage.folder'),
  /** Encrypts the files of `weir backup`. */
  backupPassphrase: envVariable(
    'WEIR_BACKUP_PASSPHRASE',
    z
      .string()
      .min(
        limits.backupPassphraseCharactersMin,
        `must have at least ${limits.backupPassphraseCharactersMin} characters`,
      )
      .transform((text) => new Secret(text))
      .optional(),
    { at: 'storage.backup_passphrase', isSecret: true },
  ),
  /** Database and Redis for several replicas; undefined if data is stored in the data folder and in this process. */
  stores: combineSettings(
    {
      database: envVariable(
        'DATABASE_URL',
        urlSchema(['postgres:', 'postgresql:'], 'must be a postgres:// or postgresql:// URL').optional(),
        { at: 'storage.database', isSecret: true },
      ),
      redis: envVariable('REDIS_URL', redisUrl.optional(), { at: 'storage.redis', isSecret: true }),
      /** Connections to the database for each process. */
      pool: envVariable(
        'WEIR_DATABASE_POOL',
        poolSize.default(limits.databaseConnectionsMax),
        'storage.database_pool',
      ),
      /** What counts calls and money. */
      counts: envVariable(
        'WEIR_COUNTS',
        z.enum(['redis', 'database'], 'must be redis or database').default('redis'),
        'storage.counts',
      ),
    },
    ({ database, redis, ...others }) =>
      database === undefined || redis === undefined ? undefined : { database, redis, ...others },
  ),
} as const;

function urlSchema(protocols: readonly string[], message: string) {
  return z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), message);
}
