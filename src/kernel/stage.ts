import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { nearestName } from '../lib/nearest-name.ts';
import { type ConfigurationSet, readOptions } from './configuration.ts';
import { GatewayError } from './errors.ts';
import type { Module } from './module.ts';
import { formatPipelineList, type PipelineEntry } from './pipeline-list.ts';
import { editsContent, redacts } from './touches.ts';

/** A module of a pipeline with its parsed options. */
export interface Stage {
  readonly module: Module;
  readonly options: unknown;
  readonly entry: PipelineEntry;
}

/** Rejects unknown modules and configurations, and invalid options. `base` has the options that the entry leaves out. */
export function createStage(
  entry: PipelineEntry,
  modules: ReadonlyMap<string, Module>,
  configurations: ConfigurationSet,
  base?: JsonObject,
): Stage {
  const module = modules.get(entry.name);
  if (module === undefined) throw unknownModuleError(entry.name, modules);
  return { module, options: readOptions(module, entry, configurations, base), entry };
}

function unknownModuleError(name: string, modules: ReadonlyMap<string, Module>): GatewayError {
  const nearest = nearestName(name, modules.keys());
  const hint =
    nearest === undefined
      ? `the modules are ${[...modules.keys()].join(', ')}`
      : `did you mean "${nearest}"?`;
  return new GatewayError('unknown_module', `there is no module "${name.slice(0, 80)}" here; ${hint}`);
}

/** The stages that do something with their options. */
export function activeStages(stages: readonly Stage[]): readonly Stage[] {
  return stages.filter(({ module, options }) => module.idle?.(options) !== true);
}

/** Adds a stage where its module's `order` is best. */
export function insertStage(stages: readonly Stage[], stage: Stage): readonly Stage[] {
  const order = stage.module.order ?? Number.POSITIVE_INFINITY;
  const later = stages.findIndex(({ module }) => (module.order ?? 0) > order);
  const at = later < 0 ? stages.length : later;
  return [...stages.slice(0, at), stage, ...stages.slice(at)];
}

/** The requested stages with the required ones, which stay whatever is requested. */
export function withProtection(requested: readonly Stage[], required: readonly Stage[]): Stage[] {
  const protection = required.map((stage) => {
    const same = requested.find(({ module }) => module === stage.module);
    return same === undefined ? stage : strictestOf(stage, same);
  });
  const protectedNames = new Set(protection.map((stage) => stage.module.name));
  const inner = protection.filter(isInnermost);
  const outer = protection.filter((stage) => !isInnermost(stage));
  return [...outer, ...requested.filter((stage) => !protectedNames.has(stage.module.name)), ...inner];
}

/** Moves redacting modules behind the last module that edits content, so that they see everything that is sent. */
export function withRedactionInside(stages: readonly Stage[]): readonly Stage[] {
  const lastEditor = stages.findLastIndex(({ module }) => editsContent(module) && !redacts(module));
  const early = stages.slice(0, lastEditor + 1).filter(({ module }) => redacts(module));
  if (early.length === 0) return stages;
  const others = stages.slice(0, lastEditor + 1).filter(({ module }) => !redacts(module));
  return [...others, ...early, ...stages.slice(lastEditor + 1)];
}

/** Moves modules that belong next to the provider behind the last one that may change the target, whose price they check. */
export function withGuardsInside(stages: readonly Stage[]): readonly Stage[] {
  const lastMover = stages.findLastIndex(({ module }) => module.touches.includes('target'));
  const early = stages.slice(0, lastMover + 1).filter(isInnermost);
  if (early.length === 0) return stages;
  const others = stages.slice(0, lastMover + 1).filter((stage) => !isInnermost(stage));
  return [...others, ...early, ...stages.slice(lastMover + 1)];
}

/**
 * Moves caches behind the modules that redact. For calls without a canonical form only: their answers, such as vectors, depend on what
 * was replaced.
 */
export function withCachesInside(stages: readonly Stage[]): readonly Stage[] {
  const lastRedacting = stages.findLastIndex(({ module }) => redacts(module));
  const early = stages.slice(0, lastRedacting + 1).filter(({ module }) => module.cache === true);
  if (early.length === 0) return stages;
  const others = stages.slice(0, lastRedacting + 1).filter(({ module }) => module.cache !== true);
  return [...others, ...early, ...stages.slice(lastRedacting + 1)];
}

export function listText(stages: readonly Stage[]): string {
  return stages.length === 0 ? 'none' : formatPipelineList(stages.map((stage) => stage.entry));
}

function isInnermost({ module }: Stage): boolean {
  return module.position === 'innermost';
}

/** The lower level's module, made as strict as the requested one if the module supports that. */
function strictestOf(lower: Stage, requested: Stage): Stage {
  const { module, entry } = lower;
  if (module.strictest === undefined) return lower;
  const options = module.strictest([lower.options, requested.options]);
  const configuration = entry.configuration ?? requested.entry.configuration;
  return {
    module,
    options,
    entry: {
      name: entry.name,
      ...(configuration !== undefined && { configuration }),
      options: optionTexts(options, [lower, requested]),
    },
  };
}

/** The text of each option, as written in the list that it comes from. */
function optionTexts(options: unknown, levels: readonly Stage[]): PipelineEntry['options'] {
  const texts: Record<string, string> = {};
  for (const level of levels)
    for (const [name, text] of Object.entries(level.entry.options))
      if (optionOf(level.options, name) === optionOf(options, name)) texts[name] ??= text;
  return texts;
}

function optionOf(options: unknown, name: string): unknown {
  return isJsonObject(options) ? options[name] : undefined;
}
