import type { CallerAdmission } from '../../calls/caller-admission.ts';
import { limits } from '../../calls/limits.ts';
import type { PipelineSelector } from '../../calls/pipeline-selector.ts';
import { SandboxAdmission } from '../../calls/sandbox-admission.ts';
import type { Target } from '../../kernel/provider.ts';
import { findCheapestModel } from '../../providers/cheapest-model.ts';
import type { AnonymousSessions } from '../../sandbox/anonymous-sessions.ts';
import { anonymousRoutes } from '../../server/api/routes/anonymous.ts';
import type { Part } from '../part.ts';
import { type Settings, SettingsError } from '../settings.ts';
import type { IdentityPart } from './identity.ts';
import type { ProvidersPart } from './providers.ts';
import type { Stores } from './stores.ts';

interface SandboxPart extends Part {
  readonly callerAdmission: CallerAdmission;
}

interface SandboxParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly providers: ProvidersPart;
  readonly identity: IdentityPart;
  readonly pipelines: PipelineSelector;
  readonly sessions: AnonymousSessions;
}

/** Anonymous calls, paid by the operator. */
export function sandboxPart(parts: SandboxParts): SandboxPart {
  const { settings, stores, pipelines, sessions, identity } = parts;
  const target = chooseSandboxTarget(parts);
  const callerAdmission = new SandboxAdmission({
    sessions,
    target,
    credential: settings.credentials.get(target.provider.name),
    pipeline: pipelines.withProtection(`cost-guard?day=${settings.sandbox.dailyUsd}&wait=0s`),
  });
  return {
    callerAdmission,
    routes: anonymousRoutes({
      sessions,
      receipts: stores.database.receipts,
      sandboxHeader: `model=${target.model}; max_tokens=${limits.sandboxOutputTokensMax}; content=public`,
      // With a local token set, strangers must not spend through the sandbox.
      checkMayStart:
        settings.localToken === undefined
          ? async () => undefined
          : async (headers, address) => void (await identity.callers.identifyCurrent(headers, address)),
    }),
    features: ['sandbox'],
  };
}

/** The configured model, or the cheapest with an operator key, or the demo model. */
function chooseSandboxTarget({
  settings,
  providers: { directory: providerDirectory, catalog: modelCatalog, providers },
}: SandboxParts): Target {
  const { credentials, sandbox } = settings;
  if (sandbox.model !== undefined) {
    const target = providerDirectory.find(sandbox.model);
    if (target === undefined)
      throw new SettingsError([
        `WEIR_SANDBOX_MODEL: ${providerDirectory.explainUnknownModel(sandbox.model)}`,
      ]);
    const { name, keyless, title } = target.provider;
    if (!keyless && !credentials.has(name))
      throw new SettingsError([`WEIR_SANDBOX_MODEL: no key for ${title}; set ${name.toUpperCase()}_API_KEY`]);
    if (modelCatalog.priced(target.provider, target.model) === undefined)
      throw new SettingsError([
        `WEIR_SANDBOX_MODEL: the price of "${sandbox.model}" is unknown; add it to the file in WEIR_PRICES`,
      ]);
    return target;
  }
  const paid = providers.filter(({ name }) => credentials.has(name));
  return findCheapestModel(paid, modelCatalog) ?? providerDirectory.resolve('demo-1');
}
