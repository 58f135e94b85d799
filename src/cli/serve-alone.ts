import { startGateway } from '../gateway/gateway.ts';
import type { Settings } from '../gateway/settings.ts';
import { createLog } from '../telemetry/log.ts';
import { standardOutput } from '../telemetry/standard-output.ts';
import { banner } from './banner.ts';
import { stopped } from './stopped.ts';
import { logStrayFailures } from './stray-failures.ts';
import { letYoungGenerationGrow } from './young-generation.ts';

/** Runs a gateway in this process until it is told to stop. */
export async function serveAlone(settings: Settings): Promise<void> {
  const lines = standardOutput();
  const log = createLog(settings.logLevel, lines);
  logStrayFailures(log);
  const gateway = await startGateway(settings, log);
  letYoungGenerationGrow();
  lines.write(`${banner(gateway, settings)}
`);
  await stopped({ close: () => gateway.close() });
  lines.flush();
}
