import { allowListFaults, type EgressPart, egressPart } from '../gateway/parts/egress.ts';
import { modulesPart } from '../gateway/parts/modules.ts';
import { requireConfigurations } from '../gateway/parts/pipelines.ts';
import { type Settings, SettingsError } from '../gateway/settings.ts';
import type { Module } from '../kernel/module.ts';
import { systemClock } from '../lib/clock.ts';
import { loadSettings } from '../process/load-settings.ts';
import { createLog } from '../telemetry/log.ts';
import { settingWarnings } from './banner.ts';
import type { CommandInput } from './command.ts';
import { clockFinding } from './doctor/clock.ts';
import { type Finding, fail, formatFinding, ok, reasonOf, warn } from './doctor/finding.ts';
import { folderFindings } from './doctor/folder.ts';
import { mailFindings } from './doctor/mail.ts';
import { portFinding, providerFindings } from './doctor/network.ts';
import { keyPipelineFindings, pipelineFindings } from './doctor/pipelines.ts';
import { storeFindings } from './doctor/stores.ts';
import { stripeFindings } from './doctor/stripe.ts';
import { limits } from './limits.ts';

/** The npm package contains the docs only as pages that a gateway serves. */
const seeSettings = 'a running gateway lists all settings at /docs/reference/settings';

/** Checks everything that a gateway needs; the exit code is 1 if a check fails. */
export async function doctor({ environment, flags }: CommandInput): Promise<number> {
  const findings = await runChecks(environment, flags.offline === true);
  if (flags.json) console.log(JSON.stringify(findings, undefined, 2));
  else for (const finding of findings) console.log(formatFinding(finding));
  return findings.some(({ state }) => state === 'fail') ? 1 : 0;
}

async function runChecks(
  environment: CommandInput['environment'],
  isOffline: boolean,
): Promise<readonly Finding[]> {
  let settings: Settings;
  try {
    settings = loadSettings(environment);
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    return thrown.faults.map((fault) => fail('settings', fault, seeSettings));
  }
  const outbound = egressPart({ settings, log: { error() {} } });
  const { egress } = outbound;
  const none = { findings: [], clockAheadMs: {} };
  const [fromSettings, folder, port, stores, providers, mail, stripe] = await Promise.all([
    settingFindings(settings, outbound),
    folderFindings(settings),
    portFinding(settings),
    storeFindings(settings),
    isOffline ? none : providerFindings(settings, outbound),
    isOffline ? [] : mailFindings(settings, egress),
    isOffline ? [] : stripeFindings(settings, egress),
  ]);
  await egress.close();
  return [
    ok('runtime', `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`),
    ...fromSettings.findings,
    ...folder,
    port,
    ...stores.findings,
    ...(fromSettings.modules === undefined
      ? []
      : keyPipelineFindings(stores.pipelines ?? [], fromSettings.modules)),
    ...providers.findings,
    ...mail,
    ...stripe,
    clockFinding({ ...stores.clockAheadMs, ...providers.clockAheadMs }),
  ];
}

/** Findings, and the modules that could be loaded. */
async function settingFindings(
  settings: Settings,
  outbound: EgressPart,
): Promise<{ readonly findings: readonly Finding[]; readonly modules?: ReadonlyMap<string, Module> }> {
  const warnings = settingWarnings(settings).map((warning) => warn('settings', warning, seeSettings));
  try {
    const log = createLog('silent', { write() {} });
    const { moduleFetches } = outbound;
    const part = await modulesPart({ settings, log, clock: systemClock, moduleFetches, given: [] });
    await part.close?.(performance.now() + limits.doctorCloseMs);
    const unknown = part.unknownVariables.map((variable) =>
      warn('settings', `${variable} is not a setting of this version`, 'check the spelling'),
    );
    const { modules } = part;
    const misspelt = allowListFaults(outbound, modules, settings).map((fault) =>
      fail('settings', fault, 'check the spelling'),
    );
    const valid = ok('settings', `${settings.mode} mode, all settings are valid`);
    const configurations = requireConfigurations(settings, modules);
    const pipeline = pipelineFindings(settings.pipeline ?? '', modules, configurations);
    return {
      findings: [...warnings, ...unknown, ...(misspelt.length > 0 ? misspelt : [valid]), ...pipeline],
      modules,
    };
  } catch (thrown) {
    if (thrown instanceof SettingsError)
      return {
        findings: [...warnings, ...thrown.faults.map((fault) => fail('settings', fault, seeSettings))],
      };
    const todo = 'install the package where Weir runs, or check WEIR_MODULES';
    return { findings: [...warnings, fail('modules', reasonOf(thrown), todo)] };
  }
}
