import type { Egress } from '../egress/egress.ts';
import { billingChecks } from '../gateway/checks/billing.ts';
import { compareClocks } from '../gateway/checks/clock.ts';
import { mailCheck } from '../gateway/checks/mail.ts';
import { allowListFaults, type EgressPart, egressPart } from '../gateway/parts/egress.ts';
import { modulesPart } from '../gateway/parts/modules.ts';
import { requireConfigurations } from '../gateway/require-configurations.ts';
import { type Settings, SettingsError } from '../gateway/settings.ts';
import type { Module } from '../kernel/module.ts';
import { expandPipelineNames } from '../kernel/pipeline-list.ts';
import { systemClock } from '../lib/clock.ts';
import { loadSettings } from '../process/load-settings.ts';
import { type Check, type NamedResult, reasonOf, runChecks } from '../telemetry/diagnostics.ts';
import { createLog } from '../telemetry/log.ts';
import { settingWarnings } from './banner.ts';
import type { CommandInput } from './command.ts';
import { fail, formatResult, ok, warn } from './doctor/finding.ts';
import { folderFindings } from './doctor/folder.ts';
import { portFinding, providerFindings } from './doctor/network.ts';
import { keyPipelineFindings, pipelineFindings } from './doctor/pipelines.ts';
import { runningGatewayFindings } from './doctor/running-gateway.ts';
import { storeFindings } from './doctor/stores.ts';
import { limits } from './limits.ts';

/** The npm package contains the docs only as pages that a gateway serves. */
const seeSettings = 'a running gateway lists all settings at /docs/reference/settings';

/** Checks everything that a gateway needs; the exit code is 1 if a check fails. */
export async function doctor({ environment, flags }: CommandInput): Promise<number> {
  const findings = await examine(environment, flags.offline === true);
  if (flags.json) console.log(JSON.stringify(findings, undefined, 2));
  else for (const finding of findings) console.log(formatResult(finding));
  return findings.some(({ status }) => status === 'failing') ? 1 : 0;
}

async function examine(
  environment: CommandInput['environment'],
  isOffline: boolean,
): Promise<readonly NamedResult[]> {
  let settings: Settings;
  try {
    settings = await loadSettings(environment);
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    return thrown.faults.map((fault) => fail('settings', fault, seeSettings));
  }
  const outbound = egressPart({ settings, log: { error() {} } });
  const { egress } = outbound;
  const running = await runningGatewayFindings(settings.dataDir);
  const none = { findings: [], clockAheadMs: {} };
  const [fromSettings, folder, port, stores, providers, services] = await Promise.all([
    settingFindings(settings, outbound),
    folderFindings(settings),
    running === undefined ? portFinding(settings) : ok('port', 'a gateway is running'),
    storeFindings(settings),
    isOffline ? none : providerFindings(settings, outbound),
    isOffline ? [] : runChecks(serviceChecks(settings, egress), limits.doctorCheckMs),
  ]);
  await egress.close();
  const own = [
    ok('runtime', `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`),
    ...fromSettings.findings,
    ...folder,
    port,
    ...stores.findings,
    ...(fromSettings.modules === undefined
      ? []
      : keyPipelineFindings(
          (stores.pipelines ?? []).map(({ pipeline, keys }) => ({
            pipeline: expandPipelineNames(pipeline, fromSettings.named ?? new Map()),
            keys,
          })),
          fromSettings.modules,
        )),
    ...providers.findings,
    ...services,
    { name: 'clock', ...compareClocks({ ...stores.clockAheadMs, ...providers.clockAheadMs }) },
  ];
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...(running ?? []).filter(({ name, status }) => status !== 'ok' || !names.has(name))];
}

/** The services that the settings name besides stores and providers. */
function serviceChecks(settings: Settings, egress: Egress): readonly Check[] {
  const { mail } = settings;
  return [...(mail === undefined ? [] : [mailCheck(mail, egress)]), ...billingChecks(settings, egress)];
}

interface SettingFindings {
  readonly findings: readonly NamedResult[];
  /** Those that could be loaded. */
  readonly modules?: ReadonlyMap<string, Module>;
  /** Lists by the names of pipelines. */
  readonly named?: ReadonlyMap<string, string>;
}

async function settingFindings(settings: Settings, outbound: EgressPart): Promise<SettingFindings> {
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
    const pipeline = pipelineFindings(
      expandPipelineNames(settings.pipeline ?? '', configurations.pipelines),
      modules,
      configurations,
    );
    return {
      findings: [...warnings, ...unknown, ...(misspelt.length > 0 ? misspelt : [valid]), ...pipeline],
      modules,
      named: configurations.pipelines,
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
