import type { Module } from '../../kernel/module.ts';
import { createStage } from '../../kernel/pipeline.ts';
import { parsePipelineList } from '../../kernel/pipeline-list.ts';
import { type Finding, fail, ok, reasonOf } from './finding.ts';

type Modules = ReadonlyMap<string, Module>;

/** A pipeline that keys have, and how many of them. */
export interface KeyPipeline {
  readonly pipeline: string;
  readonly keys: number;
}

/** The operator's pipeline: whether its modules are there and take their options. */
export function pipelineFindings(pipeline: string, modules: Modules): readonly Finding[] {
  const faults = pipelineFaultsOf(pipeline, modules);
  const todo = 'see WEIR_PIPELINE; docs/modules has those that come with Weir, with their options';
  if (faults.length > 0) return faults.map((fault) => fail('pipeline', fault, todo));
  const names = parsePipelineList(pipeline).map(({ name }) => name);
  return names.length === 0 ? [] : [ok('pipeline', `${names.join(', ')}, with options that can be read`)];
}

/** Pipelines that were right when they were set: a module may be gone since, or take other options. */
export function keyPipelineFindings(set: readonly KeyPipeline[], modules: Modules): readonly Finding[] {
  return set.flatMap(({ pipeline, keys }) => {
    const faults = pipelineFaultsOf(pipeline, modules);
    if (faults.length === 0) return [];
    const todo = 'load the module again, or let the accounts set another: PATCH /v1/keys/<id>';
    return [fail('keys', `calls with ${keys} of them are refused: ${faults.join('; ')}`, todo)];
  });
}

function pipelineFaultsOf(pipeline: string, modules: Modules): readonly string[] {
  try {
    return parsePipelineList(pipeline).flatMap((pipelineEntry) => {
      try {
        createStage(pipelineEntry, modules);
        return [];
      } catch (thrown) {
        return [reasonOf(thrown)];
      }
    });
  } catch (thrown) {
    return [reasonOf(thrown)];
  }
}
