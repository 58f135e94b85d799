import type { Given } from './command.ts';
import { askAll, nobodyRuns } from './control.ts';
import { settingsBeside } from './settings-from.ts';

/** Prints how each process of the running gateway is doing. */
export async function report({ environment }: Given): Promise<number> {
  const { dataDir } = settingsBeside(environment);
  const processes = await askAll(dataDir, { ask: 'report' });
  if (processes.length === 0) throw nobodyRuns(dataDir);
  console.log(JSON.stringify({ processes }, undefined, 2));
  return 0;
}
