import { notRunningError, queryProcesses } from '../process/control-socket.ts';
import { loadCommandSettings } from '../process/load-settings.ts';
import type { CommandInput } from './command.ts';

/** Prints or sets the log level of each process of the running gateway. */
export async function logLevel({ environment, positionals: [level] }: CommandInput): Promise<number> {
  const { dataDir } = await loadCommandSettings(environment);
  const processes = await queryProcesses(dataDir, {
    ask: 'log-level',
    ...(level !== undefined && { level }),
  });
  if (processes.length === 0) throw notRunningError(dataDir);
  for (const { process, level: now } of processes) console.log(`process ${process} logs at "${now}"`);
  return 0;
}
