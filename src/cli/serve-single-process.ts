import { startGateway } from '../gateway/gateway.ts';
import type { Settings } from '../gateway/settings.ts';
import { createControlHandlers } from '../process/control-handlers.ts';
import { openControlSocket } from '../process/control-socket.ts';
import { onHangUp } from '../process/hang-up.ts';
import { waitForShutdown } from '../process/shutdown.ts';
import { logUnhandledRejections } from '../process/unhandled-rejections.ts';
import { startWatchdog } from '../process/watchdog.ts';
import { growYoungGeneration } from '../process/young-generation.ts';
import { createLog } from '../telemetry/log.ts';
import { openLogOutput } from '../telemetry/log-output.ts';
import { announceStart } from './announce-start.ts';

/** Runs a gateway in this process until a signal stops it. */
export async function serveSingleProcess(settings: Settings): Promise<void> {
  const output = openLogOutput(settings.logFile);
  const { lines } = output;
  const log = createLog(settings.logLevel, lines);
  logUnhandledRejections(log);
  const gateway = await startGateway(settings, log);
  // Not awaited: signals must be handled from the first response on.
  const control = openControlSocket(settings.dataDir, createControlHandlers({ settings, log, gateway }));
  growYoungGeneration();
  startWatchdog({ settings, log });
  announceStart(gateway, settings, lines);
  if (settings.logFile !== undefined) onHangUp(async () => output.reopen());
  await waitForShutdown({
    log,
    settings: () => settings,
    announceShutdown: () => gateway.announceShutdown(),
    async close() {
      const untilMs = performance.now() + settings.drainMs;
      await gateway.drain(settings.drainMs);
      await gateway.close(Math.max(0, untilMs - performance.now()));
      await (await control)?.close();
    },
  });
  lines.flush();
}
