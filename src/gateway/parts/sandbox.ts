import type { PipelineChoice } from '../../calls/pipeline-choice.ts';
import { SandboxTurnstile } from '../../calls/sandbox-turnstile.ts';
import type { Turnstile } from '../../calls/turnstile.ts';
import { limits } from '../../kernel/limits.ts';
import type { Target } from '../../kernel/provider.ts';
import { cheapestModel } from '../../providers/cheapest-model.ts';
import type { AnonymousSessions } from '../../sandbox/anonymous-sessions.ts';
import { anonymousRoutes } from '../../server/own/routes/anonymous.ts';
import type { Part } from '../part.ts';
import { type Settings, SettingsError } from '../settings.ts';
import type { People } from './people.ts';
import type { Providers } from './providers.ts';
import type { Stores } from './stores.ts';

interface Sandbox extends Part {
  readonly turnstile: Turnstile;
}

interface SandboxParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly providers: Providers;
  readonly people: People;
  readonly pipelines: PipelineChoice;
  readonly sessions: AnonymousSessions;
}

/** Calls without an account, which the operator pays for. */
export function sandboxPart(parts: SandboxParts): Sandbox {
  const { settings, stores, pipelines, sessions, people } = parts;
  const target = sandboxTarget(parts);
  const turnstile = new SandboxTurnstile({
    sessions,
    target,
    credential: settings.credentials.get(target.provider.name),
    pipeline: pipelines.guarded(`cost-guard?day=${settings.sandbox.dailyUsd}`),
  });
  return {
    turnstile,
    routes: anonymousRoutes({
      sessions,
      receipts: stores.database.receipts,
      about: `model=${target.model}; max_tokens=${limits.sandboxOutputTokensMax}; content=public`,
      // Whoever set a token for all callers doesn't let strangers spend by another way.
      mayBegin:
        settings.localToken === undefined
          ? async () => undefined
          : async (headers) => void (await people.callers.identifyCurrent(headers)),
    }),
    features: ['sandbox'],
  };
}

/** The model that was set, else the cheapest that the operator has a key for, else the one that needs none. */
function sandboxTarget({ settings, providers: { directory, catalog, providers } }: SandboxParts): Target {
  const { credentials, sandbox } = settings;
  if (sandbox.model !== undefined) {
    const target = directory.find(sandbox.model);
    if (target === undefined)
      throw new SettingsError([`WEIR_SANDBOX_MODEL: ${directory.whyUnknown(sandbox.model)}`]);
    const { name, keyless, title } = target.provider;
    if (!keyless && !credentials.has(name))
      throw new SettingsError([
        `WEIR_SANDBOX_MODEL: there is no key for ${title}; set ${name.toUpperCase()}_API_KEY`,
      ]);
    if (catalog.priced(target.provider, target.model) === undefined)
      throw new SettingsError([
        `WEIR_SANDBOX_MODEL: nobody knows what "${sandbox.model}" costs; give it a price in the file of WEIR_PRICES`,
      ]);
    return target;
  }
  const paid = providers.filter(({ name }) => credentials.has(name));
  return cheapestModel(paid, catalog) ?? directory.resolve('demo-1');
}
