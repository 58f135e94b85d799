import type { Pipeline, Pipelines } from '../kernel/pipeline.ts';

/** The pipeline of a call and where it was configured. */
export interface ChosenPipeline {
  readonly source: 'header' | 'key' | 'environment' | 'default';
  /** The list as configured. */
  readonly text: string;
  readonly pipeline: Pipeline;
}

/** The default changes no answers: modules that may surprise a client run only if configured. */
const builtInDefault = 'cost-guard';

/** Precedence: header, key, environment, built-in default. Protective modules of lower levels always stay. */
export class PipelineSelector {
  /** The pipeline if neither the request nor the key sets one. */
  readonly defaultChoice: ChosenPipeline;
  /** Names of the modules set by the environment. */
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

  /** The same for a call to an endpoint without a canonical form. */
  chooseForRelay(header: string | undefined, key: string | null): Pipeline {
    return this.#pipelines.forRelay(this.choose(header, key).pipeline);
  }

  /** Compiles a list of the operator with the protective modules of the environment. */
  withProtection(list: string): Pipeline {
    return this.#pipelines.compile(list, ...this.#environment);
  }

  /** All issues of a list; empty if it is valid. */
  validate(list: string): readonly string[] {
    return this.#pipelines.validate(list);
  }
}
