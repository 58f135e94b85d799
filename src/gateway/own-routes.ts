import type { ProviderVault } from '../accounts/provider-keys.ts';
import type { Quota } from '../billing/quota.ts';
import type { UsageRecorder } from '../billing/usage-recorder.ts';
import { usageReport } from '../billing/usage-report.ts';
import { usageReportSchema } from '../billing/usage-report-schema.ts';
import type { Callers } from '../calls/callers.ts';
import type { Credentials } from '../calls/credentials.ts';
import type { PipelineChoice } from '../calls/pipeline-choice.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Module } from '../kernel/module.ts';
import type { Provider } from '../kernel/provider.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { plannedModules } from '../modules/index.ts';
import type { Catalog } from '../providers/catalog/catalog.ts';
import type { Directory } from '../providers/directory.ts';
import { ModelList } from '../providers/model-list.ts';
import type { OwnRoute } from '../server/own/route.ts';
import { byokRoutes } from '../server/own/routes/byok.ts';
import { healthRoutes } from '../server/own/routes/health.ts';
import { informationRoutes } from '../server/own/routes/information.ts';
import { keysRoutes } from '../server/own/routes/keys.ts';
import { localModeRoutes } from '../server/own/routes/local-mode.ts';
import { metricsRoutes } from '../server/own/routes/metrics.ts';
import { modelsRoutes } from '../server/own/routes/models.ts';
import { pipelineRoutes } from '../server/own/routes/pipeline.ts';
import { requestsRoutes } from '../server/own/routes/requests.ts';
import { type UsageQuestion, usageRoutes } from '../server/own/routes/usage.ts';
import { usersRoutes } from '../server/own/routes/users.ts';
import { welcomeRoutes } from '../server/own/routes/welcome.ts';
import type { RequestRecorder } from '../telemetry/request-log/request-recorder.ts';
import { modelDialects } from '../wire/index.ts';
import type { AccountServices } from './account-services.ts';
import type { Settings } from './settings.ts';
import type { Stores } from './stores.ts';

export interface OwnRouteParts {
  readonly settings: Settings;
  readonly version: string;
  readonly startedAtMs: number;
  readonly stores: Stores;
  readonly metrics: { render(): string | Promise<string> };
  readonly providers: readonly Provider[];
  /** Providers that can be called without a key on the request. */
  readonly ready: ReadonlySet<Provider>;
  readonly catalog: Catalog;
  readonly directory: Directory;
  readonly modules: ReadonlyMap<string, Module>;
  readonly pipelines: PipelineChoice;
  readonly callers: Callers;
  readonly credentials: Credentials;
  readonly vault: ProviderVault;
  readonly usage: UsageRecorder;
  readonly requests: RequestRecorder;
  /** Undefined in local mode, like the services for accounts. */
  readonly quota: Quota | undefined;
  readonly services: AccountServices | undefined;
  readonly formats: readonly WireFormat[];
  readonly isDraining: () => boolean;
}

/** Every route but those of the data plane. */
export function ownRoutes(parts: OwnRouteParts): readonly OwnRoute[] {
  const { settings, version, metrics, providers, ready, pipelines, callers, credentials } = parts;
  return [
    ...welcomeRoutes(settings.mode),
    ...healthRoutes({
      revision: settings.revision,
      startedAtMs: parts.startedAtMs,
      now: () => systemClock.now(),
      providers: Object.fromEntries(
        providers.map((provider) => [provider.name, isConfigured(provider, parts)]),
      ),
      isDraining: parts.isDraining,
      stores: parts.stores.pingable,
    }),
    ...metricsRoutes(metrics, settings.metricsToken),
    ...pipelineRoutes(callers, pipelines, version),
    ...modelsRoutes({
      dialects: modelDialects,
      callers,
      credentials,
      models: new ModelList(parts.directory, parts.catalog),
      providers,
      ready,
    }),
    ...informationRoutes({
      version,
      mode: settings.mode,
      catalog: parts.catalog,
      directory: parts.directory,
      modules: parts.modules.values(),
      planned: plannedModules,
      formats: parts.formats,
      tierLimits: settings.tierLimits,
      features: [
        'streaming',
        'byok',
        'pipelines',
        'module-packages',
        'metrics',
        'demo-model',
        'usage',
        'request-log',
        ...(settings.mode === 'cloud' ? ['accounts', 'api-keys', 'quota'] : []),
      ],
    }),
    ...byokRoutes({ vault: parts.vault, providers: new Set(parts.directory.providers.keys()) }),
    ...usageRoutes({
      report: (question) => reportOf(parts, question),
      schema: usageReportSchema,
      clock: systemClock,
    }),
    ...requestsRoutes({ log: parts.requests }),
    ...accountRoutes(parts),
  ];
}

function accountRoutes({ services, pipelines }: OwnRouteParts): readonly OwnRoute[] {
  if (services === undefined) return localModeRoutes();
  return [
    ...usersRoutes(services.accounts),
    ...keysRoutes({ keys: services.accountKeys, warningsFor: (list) => pipelines.fault(list) }),
  ];
}

/** What `/health` says of a provider: whether the operator has a credential for it. */
function isConfigured(provider: Provider, { settings, ready }: OwnRouteParts): boolean {
  return ready.has(provider) || settings.credentials.has(provider.name);
}

/** With where the account stands in its period, where there is one. */
async function reportOf({ usage, quota, stores }: OwnRouteParts, question: UsageQuestion): Promise<object> {
  const { accountId, from, to } = question;
  const rows = await usage.days(question);
  const user =
    accountId === undefined || quota === undefined ? undefined : await stores.database.users.byId(accountId);
  const standing = user === undefined ? undefined : await quota?.standing(user);
  return usageReport({ from, to }, rows, standing);
}
