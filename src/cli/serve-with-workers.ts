import { explainError } from '../process/explain-error.ts';
import { onHangUp } from '../process/hang-up.ts';
import type { LoadedSettings } from '../process/load-settings.ts';
import { waitForShutdown } from '../process/shutdown.ts';
import { startWatchdog } from '../process/watchdog.ts';
import { growYoungGeneration } from '../process/young-generation.ts';
import { createLog } from '../telemetry/log.ts';
import { openLogOutput } from '../telemetry/log-output.ts';
import { Primary } from '../workers/primary.ts';
import { announceReload, announceStart } from './announce-start.ts';

/** Runs a gateway with several processes until a signal stops it. */
export async function serveWithWorkers(
  first: LoadedSettings,
  load: () => Promise<LoadedSettings>,
): Promise<void> {
  const output = openLogOutput(first.settings.logFile);
  const { lines } = output;
  const primary = new Primary(lines);
  let { settings, ...started } = await primary.start(first);
  growYoungGeneration();
  const log = createLog(settings.logLevel, lines);
  startWatchdog({ settings, log });
  announceStart(started, settings, lines);
  let stopping = false;
  onHangUp(async () => {
    if (stopping) return;
    try {
      output.reopen();
      await primary.reopenLogs();
      ({ settings, ...started } = await primary.start(await load()));
      announceReload(started, settings, lines);
    } catch (thrown) {
      if (!stopping)
        console.error(`weir: reload failed, the previous processes keep running: ${explainError(thrown)}`);
    }
  });
  await waitForShutdown({
    log,
    settings: () => settings,
    announceShutdown() {
      stopping = true;
      return primary.announceShutdown();
    },
    close() {
      stopping = true;
      return primary.close(settings.drainMs);
    },
    kill: () => primary.kill(),
  });
  lines.flush();
}
