import { systemClock } from '../../kernel/clock.ts';
import type { Module } from '../../kernel/module.ts';
import { builtInModules } from '../../modules/index.ts';
import type { Log } from '../../telemetry/log.ts';
import { closeModules } from '../close-modules.ts';
import { Host } from '../module-host.ts';
import { type GivenModule, loadModules } from '../module-packages.ts';
import { settingsOf, unknownTo } from '../module-settings.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';

interface ModulesParts {
  readonly settings: Settings;
  readonly log: Log;
  /** Those of the program that this gateway is part of. */
  readonly given: readonly GivenModule[];
}

interface Modules extends Part {
  readonly modules: ReadonlyMap<string, Module>;
  /** Variables with our prefix that mean nothing to any of them. */
  readonly unknownVariables: readonly string[];
}

/** What may happen to calls. */
export async function modulesPart({ settings, log, given }: ModulesParts): Promise<Modules> {
  const { modulePackages, rest } = settings;
  const host = new Host({ clock: systemClock, log, settings: (name) => settingsOf(name, rest) });
  const sources = { builtIn: builtInModules, given, packages: modulePackages, folder: process.cwd() };
  const modules = await loadModules(sources, host);
  return {
    modules,
    unknownVariables: unknownTo(modules.keys(), rest),
    features: ['module-packages'],
    async close(untilMs) {
      host.close();
      await closeModules(modules.values(), {
        withinMs: untilMs - performance.now(),
        onError: (module, err) => log.error({ module, err }, 'a module could not be closed'),
      });
    },
  };
}
