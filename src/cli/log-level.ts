import type { Given } from './command.ts';
import { askAll, nobodyRuns } from './control.ts';
import { settingsBeside } from './settings-from.ts';

/** Tells or sets the level of the log in each process of the running gateway. */
export async function logLevel({ environment, values: [level] }: Given): Promise<number> {
  const { dataDir } = settingsBeside(environment);
  const processes = await askAll(dataDir, { ask: 'log-level', ...(level !== undefined && { level }) });
  if (processes.length === 0) throw nobodyRuns(dataDir);
  for (const { process, level: now } of processes) console.log(`process ${process} logs at "${now}"`);
  return 0;
}
