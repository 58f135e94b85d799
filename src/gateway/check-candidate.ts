import { createLog } from '../telemetry/log.ts';
import { startGateway } from './gateway.ts';
import { type Environment, readSettings } from './settings.ts';

/** Starts a gateway with these settings that stores and sends nothing, and stops it. Throws what is wrong with its modules. */
export async function checkCandidate(environment: Environment): Promise<void> {
  const settings = readSettings({
    ...environment,
    HOST: '127.0.0.1',
    PORT: '0',
    WEIR_DATA_DIR: ':memory:',
    WEIR_WORKERS: '1',
    WEIR_DASHBOARD: 'off',
    OTEL_SDK_DISABLED: 'true',
    DATABASE_URL: undefined,
    REDIS_URL: undefined,
    WEIR_LOG_CLICKHOUSE_URL: undefined,
    WEIR_LOG_S3_URL: undefined,
    WEIR_LOG_S3_KEY: undefined,
    WEIR_LOG_FOLDER: undefined,
  });
  const gateway = await startGateway(settings, createLog('silent', { write: () => undefined }));
  await gateway.close(0);
}
