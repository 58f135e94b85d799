import { notRunningError, queryProcesses } from '../process/control-socket.ts';
import { loadCommandSettings } from '../process/load-settings.ts';
import type { CommandInput } from './command.ts';

/** Prints the state of each process of the running gateway. */
export async function report({ environment }: CommandInput): Promise<number> {
  const { dataDir } = await loadCommandSettings(environment);
  const processes = await queryProcesses(dataDir, { ask: 'report' });
  if (processes.length === 0) throw notRunningError(dataDir);
  console.log(JSON.stringify({ processes }, undefined, 2));
  return 0;
}
