import type { Pipeline, Pipelines } from '../kernel/pipeline.ts';

/** What a call runs through, and who decided it. */
export interface ChosenPipeline {
  readonly source: 'header' | 'key' | 'environment' | 'default';
  /** The list as it was written where it was decided. */
  readonly text: string;
  readonly pipeline: Pipeline;
}

/** Changes nothing about an answer: what could surprise a client runs only if somebody asked for it. */
const builtInDefault = 'cost-guard';

/** Header before key before environment before the built-in default; protective modules of lower levels stay. */
export class PipelineSelector {
  /** What runs where neither a request nor a key says. */
  readonly defaultChoice: ChosenPipeline;
  /** Names of the modules that the environment sets. */
  readonly configured: readonly string[];
  readonly #pipelines: Pipelines;
  readonly #environment: readonly string[];

  constructor(pipelines: Pipelines, environment: string | undefined) {
    const text = environment ?? builtInDefault;
    this.#pipelines = pipelines;
    this.#environment = environment === undefined ? [] : [environment];
    this.defaultChoice = {
      source: environment === undefined ? 'default' : 'environment',
      text,
      pipeline: pipelines.compile(text),
    };
    const { stages } = this.defaultChoice.pipeline;
    this.configured = environment === undefined ? [] : stages.map(({ module }) => module.name);
  }

  choose(header: string | undefined, key: string | null): ChosenPipeline {
    const pipelines = this.#pipelines;
    if (header !== undefined) {
      const lower = key === null ? this.#environment : [key, ...this.#environment];
      return { source: 'header', text: header, pipeline: pipelines.compile(header, ...lower) };
    }
    if (key === null) return this.defaultChoice;
    return { source: 'key', text: key, pipeline: pipelines.compile(key, ...this.#environment) };
  }

  /** A list of the operator's own, with what protects at the level of the environment. */
  withProtection(list: string): Pipeline {
    return this.#pipelines.compile(list, ...this.#environment);
  }

  /** All that is wrong with a list; empty where it would run. */
  validate(list: string): readonly string[] {
    return this.#pipelines.validate(list);
  }
}
