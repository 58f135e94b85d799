import { fixedSettingFaults } from '../gateway/fixed-settings.ts';
import { SettingsError } from '../gateway/settings.ts';
import { explainError } from '../process/explain-error.ts';
import { onHangUp } from '../process/hang-up.ts';
import type { LoadedSettings } from '../process/load-settings.ts';
import { Reloader, watchConfiguration } from '../process/reloader.ts';
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
  const log = createLog(first.settings.logLevel, lines);
  const primary = new Primary(lines, async () => {
    try {
      await starting;
      return await running.reload('request');
    } catch (thrown) {
      return { faults: explainError(thrown).split('\nweir: ') };
    }
  });
  const starting = primary.start(first);
  let stopping = false;
  const running = new Reloader({
    loaded: first,
    log,
    load,
    async apply(loaded, change) {
      if (stopping) throw new Error('the gateway is stopping');
      const faults = fixedSettingFaults(running.loaded.settings, loaded.settings, 'processes');
      if (faults.length > 0) throw new SettingsError(faults);
      const after = await primary.start(loaded, change);
      log.level = after.settings.logLevel;
      announceReload(after, after.settings, lines);
    },
  });
  const reload = async (trigger: 'signal' | 'file') => {
    try {
      await starting;
      await running.reload(trigger);
    } catch (thrown) {
      if (!stopping)
        console.error(`weir: reload failed, the previous processes keep running: ${explainError(thrown)}`);
    }
  };
  // From here on, so that a change during the start is seen.
  const watch = watchConfiguration(running, () => void reload('file'));
  const { settings, ...started } = await starting;
  growYoungGeneration();
  startWatchdog({ settings, log });
  announceStart(started, settings, lines);
  onHangUp(async () => {
    if (stopping) return;
    output.reopen();
    await primary.reopenLogs();
    await reload('signal');
  });
  await waitForShutdown({
    log,
    settings: () => running.loaded.settings,
    announceShutdown() {
      stopping = true;
      return primary.announceShutdown();
    },
    close() {
      stopping = true;
      watch?.close();
      return primary.close(running.loaded.settings.drainMs);
    },
    kill: () => primary.kill(),
  });
  lines.flush();
}
