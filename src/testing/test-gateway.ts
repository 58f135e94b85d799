import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Argon2Cost } from '../accounts/argon2.ts';
import { type Gateway, type GatewayExtras, startGateway } from '../gateway/gateway.ts';
import { type Environment, readSettings } from '../gateway/settings.ts';
import { TokenEstimator } from '../providers/tokens/token-estimator.ts';
import { createLog } from '../telemetry/log.ts';
import { emptyDatabaseFile } from './empty-database.ts';
import { keptThreads } from './kept-threads.ts';

/** A password takes a third of a millisecond instead of 35. */
export const testPasswordCost: Argon2Cost = { memoryCost: 64, timeCost: 1, parallelism: 1 };

/** The gateways of a process share the vocabulary: to load it takes a quarter of a second. */
const tokenEstimator = new TokenEstimator();

/** A gateway in this process, with a free port, an empty data folder and its log in memory. */
export interface TestGateway {
  readonly url: string;
  readonly gateway: Gateway;
  /** All since the start; a test that measures memory empties it. */
  readonly logLines: string[];
  close(): Promise<void>;
}

export async function startTestGateway(
  environment: Environment = {},
  gatewayExtras: GatewayExtras = {},
): Promise<TestGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-test-'));
  if (environment.WEIR_DATA_DIR === undefined) emptyDatabaseFile(dataDir);
  const logLines: string[] = [];
  const log = createLog('debug', { write: (line) => void logLines.push(line) });
  const gateway = await startGateway(
    readSettings({ PORT: '0', WEIR_DATA_DIR: dataDir, WEIR_HTTP: process.env.WEIR_HTTP, ...environment }),
    log,
    { passwordCost: testPasswordCost, tokenEstimator, sqliteThreads: keptThreads, ...gatewayExtras },
  );
  return {
    url: gateway.url,
    gateway,
    logLines,
    async close() {
      await gateway.close(0);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
