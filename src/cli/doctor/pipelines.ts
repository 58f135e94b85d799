import { type ConfigurationSet, noConfigurations } from '../../kernel/configuration.ts';
import type { Module } from '../../kernel/module.ts';
import { type PipelineEntry, parsePipelineList } from '../../kernel/pipeline-list.ts';
import { createStage } from '../../kernel/stage.ts';
import { type NamedResult, reasonOf } from '../../telemetry/diagnostics.ts';
import { fail, ok } from './finding.ts';

type Modules = ReadonlyMap<string, Module>;

/** A pipeline and the number of API keys that use it. */
export interface KeyPipeline {
  readonly pipeline: string;
  readonly keys: number;
}

/** Checks the modules and options of the operator's pipeline. */
export function pipelineFindings(
  pipeline: string,
  modules: Modules,
  configurations: ConfigurationSet,
): readonly NamedResult[] {
  const faults = pipelineFaultsOf(pipeline, modules, configurations);
  const todo = 'check WEIR_PIPELINE; docs/reference/modules describes the built-in modules and their options';
  if (faults.length > 0) return faults.map((fault) => fail('pipeline', fault, todo));
  const names = parsePipelineList(pipeline).map(({ name }) => name);
  return names.length === 0 ? [] : [ok('pipeline', `${names.join(', ')}, with valid options`)];
}

/** Checks the pipelines of API keys: a module may have been removed or changed its options since. */
export function keyPipelineFindings(set: readonly KeyPipeline[], modules: Modules): readonly NamedResult[] {
  return set.flatMap(({ pipeline, keys }) => {
    const faults = pipelineFaultsOf(pipeline, modules);
    if (faults.length === 0) return [];
    const todo = 'load the module again, or ask the accounts to change the pipeline: PATCH /v1/keys/<id>';
    return [fail('keys', `calls with ${keys} API key(s) are rejected: ${faults.join('; ')}`, todo)];
  });
}

function namesStored({ name, configuration, options }: PipelineEntry, modules: Modules): boolean {
  const option = modules.get(name)?.definitions?.option;
  return configuration !== undefined || (option !== undefined && options[option] !== undefined);
}

/** Without configurations, entries that name one or a definition are not checked: they may be the account's. */
function pipelineFaultsOf(
  pipeline: string,
  modules: Modules,
  configurations?: ConfigurationSet,
): readonly string[] {
  try {
    return parsePipelineList(pipeline).flatMap((pipelineEntry) => {
      try {
        if (configurations !== undefined || !namesStored(pipelineEntry, modules))
          createStage(pipelineEntry, modules, configurations ?? noConfigurations);
        return [];
      } catch (thrown) {
        return [reasonOf(thrown)];
      }
    });
  } catch (thrown) {
    return [reasonOf(thrown)];
  }
}
