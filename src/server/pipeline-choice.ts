import type { Pipeline, Pipelines } from '../kernel/pipeline.ts';

/** What a call runs through, and who decided it. */
export interface Chosen {
  readonly source: 'header' | 'environment' | 'default';
  /** The list as it was written where it was decided. */
  readonly text: string;
  readonly pipeline: Pipeline;
}

/** Nothing that could surprise a client runs unless somebody asked for it. */
const builtInDefault = 'none';

/** Header before environment before the built-in default; protective modules of a lower level stay. */
export class PipelineChoice {
  /** What runs where a request doesn't say. */
  readonly base: Chosen;
  readonly #pipelines: Pipelines;

  constructor(pipelines: Pipelines, environment: string | undefined) {
    const text = environment ?? builtInDefault;
    this.#pipelines = pipelines;
    this.base = {
      source: environment === undefined ? 'default' : 'environment',
      text,
      pipeline: pipelines.compile(text),
    };
  }

  choose(header: string | undefined): Chosen {
    if (header === undefined) return this.base;
    return { source: 'header', text: header, pipeline: this.#pipelines.compile(header, this.base.text) };
  }
}
