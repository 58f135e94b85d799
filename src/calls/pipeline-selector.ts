import type { ConfigurationSet } from '../kernel/configuration.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { ModulesSince } from '../kernel/modules-since.ts';
import type { AddedConfiguration, Pipeline, PipelineLevel, Pipelines } from '../kernel/pipeline.ts';
import type { RelayRequest } from '../kernel/relay.ts';
import type { JsonObject } from '../lib/json.ts';
import type { AccountConfigurations } from './account-configurations.ts';
import type { CallerIdentity } from './caller-authenticator.ts';
import { localAccountId } from './local-setting.ts';
import type { StoredList, StoredPipeline } from './stored-pipeline.ts';

/** The pipeline of a call and where it was configured. */
export interface ChosenPipeline {
  readonly source: 'header' | 'key' | 'environment' | 'stored' | 'default';
  /** The list as configured. */
  readonly text: string;
  readonly pipeline: Pipeline;
}

/** The gateway's own pipeline, for calls whose request and key set none. */
export interface GatewayPipeline extends Omit<ChosenPipeline, 'pipeline'> {
  /** Empty if the list is valid. */
  readonly faults: readonly string[];
  /** Undefined if there are faults. */
  readonly pipeline: Pipeline | undefined;
  /** Since when its modules are in it, where that is known. */
  readonly sinceMs: ModulesSince;
  /** What the user of a local gateway has stored, whether it is in use or not. */
  readonly stored: StoredList | undefined;
}

/** The default changes no answers: modules that may surprise a client run only if configured. */
const builtInDefault = 'cost-guard';

export interface PipelineSelectorParts {
  readonly pipelines: Pipelines;
  readonly environment: string | undefined;
  /** Since when the modules of `environment` are in it. */
  environmentSince(): Promise<ModulesSince>;
  /** Undefined in cloud mode. */
  readonly stored: StoredPipeline | undefined;
  readonly configurations: Pick<AccountConfigurations, 'setFor' | 'currentSetOf'>;
}

type PipelineOwner = Pick<CallerIdentity, 'accountId' | 'pipelineConfig' | 'key' | 'access'>;

/** The list that holds stored budgets, below all others. */
function budgetLevel({ key }: PipelineOwner): readonly string[] {
  if (key?.budgets === undefined) return [];
  return [key.budgets.hasHard ? 'cost-guard?budgets=hard' : 'cost-guard?budgets=warning'];
}

/**
 * Precedence: header, key, environment, stored list of a local gateway, built-in default. Protective modules of lower levels always
 * stay.
 */
export class PipelineSelector {
  /** The pipeline if nothing but the environment sets one. */
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

  /**
   * Synchronous unless a list names a configuration, or the stored list has changed. Rejects a list in the header that the
   * owner's key does not allow.
   */
  choose(
    header: string | undefined,
    owner: PipelineOwner,
    addition?: AddedConfiguration,
  ): ChosenPipeline | Promise<ChosenPipeline> {
    if (header !== undefined && owner.access?.allowsPipeline(header) === false) throw notAllowedError();
    const stored = this.#storedFor(owner);
    return stored instanceof Promise
      ? stored.then((list) => this.#chooseFor(owner, { header, stored: list, addition }))
      : this.#chooseFor(owner, { header, stored, addition });
  }

  /** The part of a pipeline that handles calls to an endpoint without a canonical form. */
  forRelay(pipeline: Pipeline, relay: Pick<RelayRequest, 'route' | 'isOwn'>): Pipeline {
    return this.#parts.pipelines.forRelay(pipeline, relay);
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

  /** Whether `store` can change the gateway's own pipeline. */
  get canStore(): boolean {
    return this.#parts.stored !== undefined && this.#parts.environment === undefined;
  }

  /** The gateway's own pipeline. */
  async describeGateway(): Promise<GatewayPipeline> {
    const stored = await this.#parts.stored?.current();
    const { defaultChoice } = this;
    if (defaultChoice.source === 'environment')
      return { ...defaultChoice, faults: [], stored, sinceMs: await this.#parts.environmentSince() };
    if (stored === undefined) return { ...defaultChoice, faults: [], stored, sinceMs: {} };
    const faults = await this.validate(stored.text, localAccountId);
    const owner = { accountId: localAccountId, pipelineConfig: null, key: undefined };
    const pipeline = faults.length === 0 ? (await this.choose(undefined, owner)).pipeline : undefined;
    return { source: 'stored', text: stored.text, faults, pipeline, stored, sinceMs: stored.sinceMs };
  }

  /** Stores the pipeline of a local gateway; undefined deletes it. Rejects an invalid list, with all its faults. */
  async store(list: string | undefined): Promise<void> {
    const { stored, environment } = this.#parts;
    if (stored === undefined)
      throw new GatewayError(
        'forbidden',
        'the operator sets the pipeline of this gateway with WEIR_PIPELINE; set the pipelines of your API keys instead',
      );
    if (environment !== undefined)
      throw new GatewayError(
        'set_by_environment',
        'WEIR_PIPELINE sets the pipeline of this gateway; start it without the variable to change the pipeline here',
      );
    if (list === undefined) return void (await stored.delete());
    const faults = await this.validate(list, localAccountId);
    if (faults.length > 0) throw new GatewayError('bad_pipeline', faults.join('; '), { param: 'pipeline' });
    await stored.put(list);
  }

  #storedFor({ accountId, pipelineConfig }: PipelineOwner): ReturnType<StoredPipeline['current']> {
    const isUsed = accountId === localAccountId && pipelineConfig === null && this.#environment.length === 0;
    return isUsed ? this.#parts.stored?.current() : undefined;
  }

  #chooseFor(
    owner: PipelineOwner,
    { header, stored, addition }: Request,
  ): ChosenPipeline | Promise<ChosenPipeline> {
    const { pipelines, configurations } = this.#parts;
    const own = owner.pipelineConfig ?? stored?.text;
    const choice = {
      ...{ header, own, addition, budgets: budgetLevel(owner) },
      source: stored === undefined ? 'key' : 'stored',
    } as const;
    return pipelines.namesStored(header ?? '') || pipelines.namesStored(own ?? '')
      ? configurations.setFor(owner).then((set) => this.#choose({ ...choice, configurations: set }))
      : this.#choose(choice);
  }

  /** Lists of the account can name its own configurations; those of the environment name the instance's only. */
  #choose({ header, own, source, configurations, addition, budgets }: Choice): ChosenPipeline {
    const { pipelines } = this.#parts;
    const level = (text: string): string | PipelineLevel =>
      configurations === undefined ? text : { text, configurations };
    const requested = (text: string): string | PipelineLevel =>
      addition === undefined ? level(text) : { text, configurations, addition };
    if (header !== undefined) {
      const levels = own === undefined ? [] : [level(own)];
      const lower = [...levels, ...this.#environment, ...budgets];
      return { source: 'header', text: header, pipeline: pipelines.compile(requested(header), ...lower) };
    }
    if (own !== undefined)
      return {
        ...{ source, text: own },
        pipeline: pipelines.compile(requested(own), ...this.#environment, ...budgets),
      };
    const { defaultChoice } = this;
    if (addition === undefined && budgets.length === 0) return defaultChoice;
    const { text } = defaultChoice;
    const list = addition === undefined ? text : { text, addition };
    return { ...defaultChoice, pipeline: pipelines.compile(list, ...budgets) };
  }
}

function notAllowedError(): GatewayError {
  return new GatewayError(
    'pipeline_not_allowed',
    'this API key may not be used with the pipeline in x-weir-pipeline; leave the header out',
    { param: 'x-weir-pipeline' },
  );
}

/** What a call asks for, and the stored list that holds for it. */
interface Request {
  readonly header: string | undefined;
  readonly stored: StoredList | undefined;
  readonly addition: AddedConfiguration | undefined;
}

interface Choice extends Omit<Request, 'stored'> {
  /** The list of the key, or the stored one. */
  readonly own: string | undefined;
  readonly source: 'key' | 'stored';
  /** The list that holds stored budgets, if there are any. */
  readonly budgets: readonly string[];
  readonly configurations?: ConfigurationSet;
}
