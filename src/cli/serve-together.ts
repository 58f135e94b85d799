import { isatty } from 'node:tty';
import type { Environment } from '../gateway/settings.ts';
import { standardOutput } from '../telemetry/standard-output.ts';
import { Primary } from '../workers/primary.ts';
import { banner } from './banner.ts';
import { explained } from './explained.ts';
import { stopped } from './stopped.ts';
import { letYoungGenerationGrow } from './young-generation.ts';

/** Runs a gateway of several processes until it is told to stop. */
export async function serveTogether(environment: Environment): Promise<void> {
  const lines = standardOutput();
  const primary = new Primary(environment, lines);
  let { settings, ...started } = await primary.start();
  letYoungGenerationGrow();
  lines.write(`${banner(started, settings)}\n`);
  let stopping = false;
  onReload(async () => {
    if (stopping) return;
    try {
      ({ settings, ...started } = await primary.start());
      lines.write(`Weir has reloaded and is listening on ${started.url}, ${settings.workers} processes\n`);
    } catch (thrown) {
      if (!stopping) console.error(`weir: not reloaded, what ran before goes on: ${explained(thrown)}`);
    }
  });
  await stopped({
    close() {
      stopping = true;
      return primary.close(settings.drainMs);
    },
    abandon: () => primary.kill(),
  });
  lines.flush();
}

/** One at a time; of all that ask meanwhile, the last is enough. */
function onReload(reload: () => Promise<void>): void {
  const hadTerminal = isatty(0);
  let isReloading = false;
  let again = false;
  process.on('SIGHUP', async () => {
    // The terminal was closed: that is no wish to reload.
    if (hadTerminal && !isatty(0)) {
      process.kill(process.pid, 'SIGTERM');
      return;
    }
    again = true;
    if (isReloading) return;
    isReloading = true;
    while (again) {
      again = false;
      await reload();
    }
    isReloading = false;
  });
}
