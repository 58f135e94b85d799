import { startGateway } from '../gateway/gateway.ts';
import type { Settings } from '../gateway/settings.ts';
import { createLog } from '../telemetry/log.ts';
import { openLogOutput } from '../telemetry/log-output.ts';
import { banner } from './banner.ts';
import { createControlHandlers } from './control-handlers.ts';
import { openControlSocket } from './control-socket.ts';
import { trimFreedMemory } from './freed-memory.ts';
import { onHangUp } from './hang-up.ts';
import { waitForShutdown } from './shutdown.ts';
import { logUnhandledRejections } from './unhandled-rejections.ts';
import { startWatchdog } from './watchdog.ts';
import { growYoungGeneration } from './young-generation.ts';

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
  trimFreedMemory();
  startWatchdog({ settings, log });
  const text = `${banner(gateway, settings)}\n`;
  if (settings.logFile === undefined) lines.write(text);
  else {
    process.stdout.write(text);
    onHangUp(async () => output.reopen());
  }
  await waitForShutdown({
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
