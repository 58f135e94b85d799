import type { ConfigurationSet } from '../kernel/configuration.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { AddedConfiguration, Pipeline, PipelineLevel, Pipelines } from '../kernel/pipeline.ts';
import type { JsonObject } from '../lib/json.ts';
import type { AccountConfigurations } from './account-configurations.ts';
import type { CallerIdentity } from './caller-authenticator.ts';

/** The pipeline of a call and where it was configured. */
export interface ChosenPipeline {
  readonly source: 'header' | 'key' | 'environment' | 'default';
  /** The list as configured. */
  readonly text: string;
  readonly pipeline: Pipeline;
}

/** The default changes no answers: modules that may surprise a client run only if configured. */
const builtInDefault = 'cost-guard';

export interface PipelineSelectorParts {
  readonly pipelines: Pipelines;
  readonly environment: string | undefined;
  readonly configurations: Pick<AccountConfigurations, 'setFor' | 'currentSetOf'>;
}

type PipelineOwner = Pick<CallerIdentity, 'accountId' | 'pipelineConfig' | 'key'>;

/** Precedence: header, key, environment, built-in default. Protective modules of lower levels always stay. */
export class PipelineSelector {
  /** The pipeline if neither the request nor the key sets one. */
  readonly defaultChoice: ChosenPipeline;
  /** Names of the modules set by the environment. */
  readonly configured: readonly string[];
  readonly #parts: PipelineSelectorParts;
  readonly #environment: readonly string[];

  constructor(parts: PipelineSelectorParts) {
    const { pipelines, environment } = parts;
    const text = environment ?? builtInDefault;
    this.#parts = parts;
    this.#environment = environment === undefined ? [] : [environment];
    this.defaultChoice = {
      source: environment === undefined ? 'default' : 'environment',
      text,
      pipeline: pipelines.compile(text),
    };
    const { stages } = this.defaultChoice.pipeline;
    this.configured = environment === undefined ? [] : stages.map(({ module }) => module.name);
  }

  /** Synchronous unless a list names a configuration. */
  choose(
    header: string | undefined,
    owner: PipelineOwner,
    addition?: AddedConfiguration,
  ): ChosenPipeline | Promise<ChosenPipeline> {
    const { pipelineConfig } = owner;
    const { pipelines } = this.#parts;
    return pipelines.namesStored(header ?? '') || pipelines.namesStored(pipelineConfig ?? '')
      ? this.#chooseConfigured(header, owner, addition)
      : this.#choose({ header, key: pipelineConfig, addition });
  }

  /** The part of a pipeline that handles calls to endpoints without a canonical form. */
  forRelay(pipeline: Pipeline): Pipeline {
    return this.#parts.pipelines.forRelay(pipeline);
  }

  /** Explains where a call would go. */
  explainRoute(exchange: Exchange, pipeline: Pipeline): Promise<JsonObject> {
    return this.#parts.pipelines.explainRoute(exchange, pipeline);
  }

  /** Compiles a list of the operator with the protective modules of the environment. */
  withProtection(list: string): Pipeline {
    return this.#parts.pipelines.compile(list, ...this.#environment);
  }

  /** All issues of a list in this account; empty if it is valid. */
  async validate(list: string, accountId: string): Promise<readonly string[]> {
    const { pipelines, configurations } = this.#parts;
    return pipelines.validate(
      pipelines.namesStored(list)
        ? { text: list, configurations: await configurations.currentSetOf(accountId) }
        : list,
    );
  }

  async #chooseConfigured(
    header: string | undefined,
    owner: PipelineOwner,
    addition: AddedConfiguration | undefined,
  ): Promise<ChosenPipeline> {
    const own = await this.#parts.configurations.setFor(owner);
    return this.#choose({ header, key: owner.pipelineConfig, own, addition });
  }

  /** Lists of the account can name its own configurations; those of the environment name the instance's only. */
  #choose({ header, key, own, addition }: Choice): ChosenPipeline {
    const { pipelines } = this.#parts;
    const level = (text: string): string | PipelineLevel =>
      own === undefined ? text : { text, configurations: own };
    const requested = (text: string): string | PipelineLevel =>
      addition === undefined ? level(text) : { text, configurations: own, addition };
    if (header !== undefined) {
      const lower = key === null ? this.#environment : [level(key), ...this.#environment];
      return { source: 'header', text: header, pipeline: pipelines.compile(requested(header), ...lower) };
    }
    if (key !== null)
      return { source: 'key', text: key, pipeline: pipelines.compile(requested(key), ...this.#environment) };
    const { defaultChoice } = this;
    return addition === undefined
      ? defaultChoice
      : { ...defaultChoice, pipeline: pipelines.compile({ text: defaultChoice.text, addition }) };
  }
}

interface Choice {
  readonly header: string | undefined;
  readonly key: string | null;
  readonly own?: ConfigurationSet;
  readonly addition: AddedConfiguration | undefined;
}
