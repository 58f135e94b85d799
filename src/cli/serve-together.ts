import type { Environment, Settings } from '../gateway/settings.ts';
import { createLog } from '../telemetry/log.ts';
import { openLogOutput } from '../telemetry/log-output.ts';
import { Primary } from '../workers/primary.ts';
import { banner } from './banner.ts';
import { explained } from './explained.ts';
import { giveFreedMemoryBack } from './freed-memory.ts';
import { onHangUp } from './hang-up.ts';
import { stopped } from './stopped.ts';
import { startWatchdog } from './watchdog.ts';
import { letYoungGenerationGrow } from './young-generation.ts';

/** Runs a gateway of several processes until it is told to stop. */
export async function serveTogether(environment: Environment, { logFile }: Settings): Promise<void> {
  const output = openLogOutput(logFile);
  const { lines } = output;
  const say = (text: string) => {
    if (logFile === undefined) lines.write(text);
    else process.stdout.write(text);
  };
  const primary = new Primary(environment, lines);
  let { settings, ...started } = await primary.start();
  letYoungGenerationGrow();
  giveFreedMemoryBack();
  startWatchdog({ settings, log: createLog(settings.logLevel, lines) });
  say(`${banner(started, settings)}\n`);
  let stopping = false;
  onHangUp(async () => {
    if (stopping) return;
    try {
      output.reopen();
      await primary.reopenLogs();
      ({ settings, ...started } = await primary.start());
      say(`Weir has reloaded and is listening on ${started.url}, ${settings.workers} processes\n`);
    } catch (thrown) {
      if (!stopping) console.error(`weir: not reloaded, what ran before goes on: ${explained(thrown)}`);
    }
  });
  await stopped({
    settings: () => settings,
    announce() {
      stopping = true;
      return primary.announce();
    },
    close() {
      stopping = true;
      return primary.close(settings.drainMs);
    },
    abandon: () => primary.kill(),
  });
  lines.flush();
}
