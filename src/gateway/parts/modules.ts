import type { ModuleFetches } from '../../egress/module-fetches.ts';
import type { Module } from '../../kernel/module.ts';
import type { Clock } from '../../lib/clock.ts';
import { builtInModules } from '../../modules/index.ts';
import type { Log } from '../../telemetry/log.ts';
import { closeModules } from '../close-modules.ts';
import { ModuleHosts } from '../module-hosts.ts';
import { loadModules, type ModuleInput } from '../module-packages.ts';
import { findUnknownVariables, moduleSettingsOf } from '../module-settings.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';

interface ModulesParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  readonly moduleFetches: ModuleFetches;
  /** Modules of the embedding program. */
  readonly given: readonly ModuleInput[];
}

interface ModulesPart extends Part {
  readonly modules: ReadonlyMap<string, Module>;
  readonly builtInNames: ReadonlySet<string>;
  readonly moduleHosts: ModuleHosts;
  /** `WEIR_` variables that no module knows. */
  readonly unknownVariables: readonly string[];
}

/** Loads the modules. */
export async function modulesPart({
  settings,
  log,
  clock,
  moduleFetches,
  given,
}: ModulesParts): Promise<ModulesPart> {
  const { modulePackages, rest } = settings;
  const moduleHosts = new ModuleHosts({
    clock,
    log,
    settings: (name) => moduleSettingsOf(name, rest),
    fetchFor: (module) => moduleFetches.fetchFor(module),
  });
  const sources = { builtIn: builtInModules, given, packages: modulePackages, folder: process.cwd() };
  const { modules, builtInNames } = await loadModules(sources, moduleHosts);
  return {
    modules,
    builtInNames,
    moduleHosts,
    unknownVariables: findUnknownVariables(modules.keys(), rest),
    features: ['module-packages', ...[...modules.values()].flatMap(({ features = [] }) => features)],
    async close(untilMs) {
      moduleHosts.close();
      await closeModules(modules.values(), {
        timeoutMs: untilMs - performance.now(),
        onError: (module, err) => log.error({ module, err }, 'could not close a module'),
      });
    },
  };
}
