import { startGateway } from '../gateway/gateway.ts';
import { createControlHandlers } from '../process/control-handlers.ts';
import { openControlSocket } from '../process/control-socket.ts';
import { onHangUp } from '../process/hang-up.ts';
import type { LoadedSettings } from '../process/load-settings.ts';
import { Reloader, watchConfiguration } from '../process/reloader.ts';
import { exitDespiteOpenResources, waitForShutdown } from '../process/shutdown.ts';
import { logUnhandledRejections } from '../process/unhandled-rejections.ts';
import { startWatchdog } from '../process/watchdog.ts';
import { growYoungGeneration } from '../process/young-generation.ts';
import { createLog } from '../telemetry/log.ts';
import { openLogOutput } from '../telemetry/log-output.ts';
import { announceStart } from './announce-start.ts';

/** Runs a gateway in this process until a signal stops it. */
export async function serveSingleProcess(
  loaded: LoadedSettings,
  load: () => Promise<LoadedSettings>,
): Promise<void> {
  const { settings } = loaded;
  const output = openLogOutput(settings.logFile);
  const { lines } = output;
  const log = createLog(settings.logLevel, lines);
  logUnhandledRejections(log);
  const reloader = new Reloader({
    loaded,
    log,
    load,
    async apply(next, change) {
      await gateway.reload(next.settings, change);
      log.level = next.settings.logLevel;
    },
  });
  const starting = startGateway(settings, log, { reload: () => reloader.reload('request') });
  // From here on, so that a change during the start is seen.
  const watch = watchConfiguration(reloader, () => {
    void starting.then(() => reloader.reload('file')).catch(() => undefined);
  });
  const gateway = await starting;
  // Not awaited: signals must be handled from the first response on.
  const control = openControlSocket(settings.dataDir, createControlHandlers({ settings, log, gateway }));
  growYoungGeneration();
  startWatchdog({ settings, log });
  announceStart(gateway, settings, lines);
  onHangUp(async () => {
    output.reopen();
    await reloader.reload('signal').catch(() => undefined);
  });
  await waitForShutdown({
    log,
    settings: () => reloader.loaded.settings,
    announceShutdown: () => gateway.announceShutdown(),
    async close() {
      watch?.close();
      const { drainMs } = reloader.loaded.settings;
      const untilMs = performance.now() + drainMs;
      await gateway.drain(drainMs);
      await gateway.close(Math.max(0, untilMs - performance.now()));
      await (await control)?.close();
    },
  });
  lines.flush();
  exitDespiteOpenResources(log, () => lines.flush());
}
