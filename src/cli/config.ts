import { checkCandidate } from '../gateway/check-candidate.ts';
import { configurationSchema } from '../gateway/configuration-file/json-schema.ts';
import { type SettingRow, settingRows } from '../gateway/configuration-file/setting-rows.ts';
import { describedModules } from '../gateway/described-modules.ts';
import { settingPlaces } from '../gateway/settings.ts';
import { explainError } from '../process/explain-error.ts';
import { type LoadedSettings, loadAll, sortByPosition } from '../process/load-settings.ts';
import type { CommandInput } from './command.ts';
import { formatTable } from './command-context.ts';

/** Lists every fault of the settings; resolves to the exit code. */
export async function checkConfig({
  environment,
  positionals: [file],
  flags,
}: CommandInput): Promise<number> {
  const { faults, source } = await findFaults(environment, file);
  if (flags.json) console.log(JSON.stringify({ file: source, faults }, undefined, 2));
  else if (faults.length === 0) console.log(`${source ?? 'the environment, without a file'}: no faults`);
  else for (const fault of faults) console.error(fault);
  return faults.length === 0 ? 0 : 1;
}

async function findFaults(environment: CommandInput['environment'], file: string | undefined) {
  let loaded: LoadedSettings | undefined;
  try {
    loaded = await loadAll(environment, file === undefined ? {} : { file });
    await checkCandidate(loaded.environment);
    return { faults: [], source: loaded.file?.path };
  } catch (thrown) {
    const faults = explainError(thrown).split('\nweir: ');
    return {
      faults: sortByPosition(
        faults.map((fault) => loaded?.locate(fault) ?? fault),
        loaded?.file?.path,
      ),
      source: loaded?.file?.path ?? file,
    };
  }
}

/** Prints the values of settings with their sources. */
export async function showConfig({ environment, flags }: CommandInput): Promise<number> {
  const rows = settingRows(await loadAll(environment), settingPlaces);
  const shown = flags.all === true ? rows : rows.filter(({ source }) => source !== 'default');
  if (flags.json) console.log(JSON.stringify(shown, undefined, 2));
  else if (shown.length === 0)
    console.log('every setting has its default; weir config show --all lists them');
  else console.log(formatTable([['setting', 'value', 'source', 'variable'], ...shown.map(cellsOf)]));
  return 0;
}

function cellsOf({ setting, value, source, variable }: SettingRow): readonly string[] {
  const line = (value ?? '').replaceAll(/\s+/g, ' ');
  return [setting, line.length > 60 ? `${line.slice(0, 59)}…` : line, source, variable];
}

export async function printSchema(): Promise<number> {
  console.log(JSON.stringify(configurationSchema(settingPlaces, describedModules()), undefined, 2));
  return 0;
}
