import type { JsonObject } from '../lib/json.ts';
import { Lru } from '../lib/lru.ts';
import { type ConfigurationName, type ConfigurationSet, noConfigurations } from './configuration.ts';
import type { PrefixGuard } from './conversation/prefix-guard.ts';
import { GatewayError } from './errors.ts';
import { type Exchange, requestOriginOf, withRequestOrigin } from './exchange.ts';
import { limits } from './limits.ts';
import type { Handler, Kit, Module } from './module.ts';
import { ModuleExecution } from './module-execution.ts';
import {
  expandPipelineNames,
  namesConfiguration,
  parsePipelineList,
  validatePipelineList,
} from './pipeline-list.ts';
import type { RelayRequest } from './relay.ts';
import { type Reply, replyOwnership } from './reply/reply.ts';
import {
  activeStages,
  createStage,
  insertStage,
  listText,
  type Stage,
  withCachesInside,
  withGuardsInside,
  withProtection,
  withRedactionInside,
} from './stage.ts';
import { DeadlineTimer } from './stopwatch.ts';
import { onlyRedacts, redacts, type Touch } from './touches.ts';

export interface Pipeline {
  readonly text: string;
  readonly stages: readonly Stage[];
  /** Whether a module in it may reroute a call. */
  readonly mayReroute: boolean;
  /** Whether a module in it may edit what providers cache of a conversation. */
  readonly mayEdit: boolean;
  /** Whether a module in it keeps content from providers. */
  readonly redacts: boolean;
  /** Whether nothing but providers may be connected to for its calls. */
  readonly isAirgapped: boolean;
  run(exchange: Exchange, upstream: Handler): Promise<Reply>;
}

/** A list with the configurations that it may name. */
export interface PipelineLevel {
  readonly text: string;
  /** Those of the instance by default. */
  readonly configurations?: ConfigurationSet | undefined;
  readonly addition?: AddedConfiguration | undefined;
}

/** A configuration that a call asks for by its model. Its module is added to lists without it; in others, the options of the list win. */
export interface AddedConfiguration extends ConfigurationName {
  readonly content: JsonObject;
}

/** What a kit is created from. */
export type KitFactory = (at: ModuleContext) => Kit<unknown>;

export interface ModuleContext {
  readonly options: unknown;
  readonly execution: ModuleExecution;
  /**
   * Handles the module's own calls: the protective and the redacting modules of this call, the modules of `list` if
   * there is one, then the provider.
   */
  moduleCallHandler(list?: string): Handler;
  /** Whether a module of the pipeline keeps content from providers. */
  isRedacted(): boolean;
  /** Whether an inner module may edit the content. */
  mayBeEditedDownstream(): boolean;
  /** Whether an inner module may shorten or leave out earlier turns. */
  mayBeShortenedDownstream(): boolean;
  /** The longest time for which answers of tools are cached; 0 if they aren't. */
  toolAnswerSeconds(): number;
}

/** The modules of an instance, and the pipelines compiled from them. */
export class Pipelines {
  readonly modules: ReadonlyMap<string, Module>;
  readonly #createKit: KitFactory;
  readonly #guard: Pick<PrefixGuard, 'open'>;
  /** Those of the instance. */
  readonly #configurations: ConfigurationSet;
  /** Lists by the names that stand for them. */
  readonly #named: ReadonlyMap<string, string>;
  readonly #timekeeper = new DeadlineTimer();
  readonly #compiled = new Lru<Pipeline>(limits.compiledPipelinesMax);
  /** The options that list definitions, as lists have them: `rules=`. */
  readonly #definitionOptions: readonly string[];
  readonly #compiledWith = new WeakMap<ConfigurationSet | AddedConfiguration, Lru<Pipeline>>();

  constructor(
    modules: ReadonlyMap<string, Module>,
    kits: KitFactory,
    guard: Pick<PrefixGuard, 'open'>,
    configurations: ConfigurationSet = noConfigurations,
    named: ReadonlyMap<string, string> = new Map(),
  ) {
    this.modules = modules;
    this.#createKit = kits;
    this.#guard = guard;
    this.#configurations = configurations;
    this.#named = named;
    this.#definitionOptions = [...modules.values()].flatMap(({ definitions }) =>
      definitions === undefined ? [] : [`${definitions.option}=`],
    );
  }

  /** The number of cached pipelines. */
  get compiledCount(): number {
    return this.#compiled.size;
  }

  /** Whether a list may name what accounts store. */
  namesStored(list: string): boolean {
    return namesConfiguration(list) || this.#definitionOptions.some((option) => list.includes(option));
  }

  /**
   * `lower` are the lists of the key and the environment: their protective modules stay, whatever `requested` contains. A
   * list without configurations of its own can name those of the instance.
   */
  compile(requested: string | PipelineLevel, ...lower: readonly (string | PipelineLevel)[]): Pipeline {
    const cache = this.#cacheFor(requested);
    const key = lower.length === 0 ? textOf(requested) : [requested, ...lower].map(textOf).join('\n');
    const known = cache.get(key);
    if (known !== undefined) return known;
    let stages = this.#stagesOf(requested);
    for (const list of lower)
      stages = withProtection(
        stages,
        this.compile(list).stages.filter(({ module }) => module.protective),
      );
    const pipeline = this.#pipeline(withGuardsInside(withRedactionInside(stages)));
    cache.set(key, pipeline);
    return pipeline;
  }

  #stagesOf(level: string | PipelineLevel): readonly Stage[] {
    const { text, configurations, addition } = this.#levelOf(level);
    const stages = parsePipelineList(text).map((entry) =>
      createStage(
        entry,
        this.modules,
        configurations,
        entry.name === addition?.module ? addition.content : undefined,
      ),
    );
    if (addition === undefined || stages.some(({ entry }) => entry.name === addition.module)) return stages;
    const { module, name: configuration, content } = addition;
    const added = { name: module, configuration, options: {} };
    return insertStage(stages, createStage(added, this.modules, { find: () => content }));
  }

  /**
   * The modules of a pipeline that handle calls of this route. Rejects a pipeline whose protection can't be applied to them, unless no
   * provider gets the content.
   */
  forRelay({ stages }: Pipeline, { route, isOwn }: Pick<RelayRequest, 'route' | 'isOwn'>): Pipeline {
    const active = activeStages(stages);
    const handles = ({ module }: Stage): boolean =>
      module.handleRelay !== undefined && module.handlesRoute?.(route) !== false;
    const helpless = active.find(
      (stage) =>
        (stage.module.protective || redacts(stage.module)) &&
        stage.module.ifBroken === 'reject' &&
        !handles(stage),
    );
    if (helpless !== undefined && isOwn !== true) throw unprotectedRelayError(helpless.module.name);
    const handling = withCachesInside(active.filter(handles));
    return {
      text: listText(handling),
      stages: handling,
      mayReroute: false,
      mayEdit: false,
      redacts: handling.some(({ module }) => redacts(module)),
      isAirgapped: isAirgapped(active),
      run: (exchange, upstream) => this.#handler(handling, 0, upstream)(exchange),
    };
  }

  /** What the module of a pipeline that chooses targets would do with a call; without one, the router does it. */
  async explainRoute(exchange: Exchange, { stages }: Pipeline): Promise<JsonObject> {
    const stage =
      stages.find(({ module }) => module.explain !== undefined) ?? this.compile('router').stages[0];
    if (stage?.module.explain === undefined)
      throw new GatewayError('not_found', 'no module of this gateway chooses targets');
    const { module, options } = stage;
    const next: Handler = async () => {
      throw new Error('a call that is only explained is not sent');
    };
    const step = exchange.trace.step(module.name);
    const execution = new ModuleExecution(module, {
      exchange,
      next,
      step,
      deadlineTimer: this.#timekeeper,
    });
    const no = () => false;
    const kit = this.#createKit({
      ...{ options, execution, isRedacted: no, mayBeEditedDownstream: no, mayBeShortenedDownstream: no },
      toolAnswerSeconds: () => 0,
      moduleCallHandler: () => next,
    });
    return stage.module.explain(exchange, kit);
  }

  /** All issues of a list; empty if it is valid. */
  validate(list: string | PipelineLevel): readonly string[] {
    const { text, configurations } = this.#levelOf(list);
    return validatePipelineList(text, (entry) => createStage(entry, this.modules, configurations));
  }

  /** Pipelines with configurations of an account are forgotten with those. */
  #cacheFor(list: string | PipelineLevel): Lru<Pipeline> {
    if (typeof list === 'string') return this.#compiled;
    const owner = list.addition ?? list.configurations;
    if (owner === undefined) return this.#compiled;
    const known = this.#compiledWith.get(owner);
    if (known !== undefined) return known;
    const cache = new Lru<Pipeline>(limits.compiledPipelinesOfAccountMax);
    this.#compiledWith.set(owner, cache);
    return cache;
  }

  #levelOf(list: string | PipelineLevel) {
    const {
      text,
      configurations = this.#configurations,
      addition,
    } = typeof list === 'string' ? { text: list } : list;
    return { text: expandPipelineNames(text, this.#named), configurations, addition };
  }

  #pipeline(stages: readonly Stage[]): Pipeline {
    const text = listText(stages);
    const active = activeStages(stages);
    const editing = active.filter(({ module }) => module.touches.some((touch) => prefixTouches.has(touch)));
    return {
      text,
      stages,
      mayReroute: active.some(({ module }) => module.touches.includes('target')),
      mayEdit: editing.length > 0,
      redacts: active.some(({ module }) => redacts(module)),
      isAirgapped: isAirgapped(active),
      run: (exchange, upstream) =>
        editing.length === 0
          ? this.#handler(active, 0, upstream)(exchange)
          : this.#runGuarded(exchange, editing, (watched) =>
              this.#handler(active, 0, recordPrefixes(upstream))(watched),
            ),
    };
  }

  /** Adds the cached prefix of the conversation, which these modules may not change. */
  async #runGuarded(exchange: Exchange, editing: readonly Stage[], run: Handler): Promise<Reply> {
    const modules = editing.map(({ module }) => module);
    const names = modules.map(({ name }) => name);
    const prefix = await this.#guard.open(exchange, names, modules.every(onlyRedacts));
    return run(withRequestOrigin(exchange, { ...requestOriginOf(exchange), prefix }));
  }

  /** A list that a module runs a call of its own through. Without the module itself, so that calls end. */
  #listHandler(list: string, { module: caller }: Stage, { protection, upstream }: ListHandlerParts): Handler {
    const requested = this.compile(list).stages;
    if (requested.some(({ module }) => module === caller))
      throw new Error(`the module ${caller.name} can't be part of a pipeline that it runs`);
    const pipeline = this.#pipeline(
      withGuardsInside(withRedactionInside(withProtection(requested, protection))),
    );
    return (question) => {
      if (pipeline.isAirgapped) question.trace.keepInside('call');
      return pipeline.run(question, upstream);
    };
  }

  /** The stages from `first` on, followed by the upstream. */
  #handler(stages: readonly Stage[], first: number, upstream: Handler): Handler {
    const stage = stages[first];
    if (stage === undefined) return upstream;
    const next = this.#handler(stages, first + 1, upstream);
    const moduleCallHandler = (list?: string): Handler => {
      const protection = stages.filter(
        (other) => other !== stage && (other.module.protective || redacts(other.module)),
      );
      return list === undefined
        ? (question) => this.#handler(protection, 0, upstream)(question)
        : this.#listHandler(list, stage, { protection, upstream });
    };
    const { module, options } = stage;
    return (exchange) => {
      const outer = requestOriginOf(exchange).observer?.step;
      const step = exchange.trace.step(module.name, module.cache, outer);
      const execution = new ModuleExecution(module, {
        exchange,
        next,
        step,
        deadlineTimer: this.#timekeeper,
      });
      const mayBeEditedDownstream = () =>
        stages.slice(first + 1).some((other) => other.module.touches.some((touch) => textTouches.has(touch)));
      const mayBeShortenedDownstream = () =>
        stages.slice(first + 1).some((other) => other.module.shortens === true);
      const isRedacted = () => stages.some((other) => redacts(other.module));
      const kit = this.#createKit({
        options,
        execution,
        moduleCallHandler,
        isRedacted,
        mayBeEditedDownstream,
        mayBeShortenedDownstream,
        toolAnswerSeconds: () => toolAnswerSecondsOf(stages),
      });
      return execution.run(() =>
        exchange.clientRequest.relay === undefined || module.handleRelay === undefined
          ? module.handle(exchange, execution.next, kit)
          : module.handleRelay(exchange, execution.next, kit),
      );
    };
  }
}

interface ListHandlerParts {
  readonly protection: readonly Stage[];
  readonly upstream: Handler;
}

function toolAnswerSecondsOf(stages: readonly Stage[]): number {
  return Math.max(0, ...stages.map(({ module, options }) => module.toolAnswerSeconds?.(options) ?? 0));
}

function isAirgapped(stages: readonly Stage[]): boolean {
  return stages.some(({ module }) => module.airgap === true);
}

function textOf(list: string | PipelineLevel): string {
  return typeof list === 'string' ? list : list.text;
}

const textTouches: ReadonlySet<Touch> = new Set(['system', 'history', 'newest-turn', 'redaction']);

/** What providers cache and bill at a lower price. */
const prefixTouches: ReadonlySet<Touch> = new Set(['tools', 'system', 'history', 'newest-turn', 'redaction']);

/** An upstream that records the prefix of every reply that starts. */
function recordPrefixes(upstream: Handler): Handler {
  return async (exchange) => {
    const reply = await upstream(exchange);
    const noting = requestOriginOf(exchange).prefix?.recordReplyStart(exchange);
    return noting === undefined ? reply : replyOwnership.onEnd(reply, () => noting);
  };
}

function unprotectedRelayError(name: string): GatewayError {
  return new GatewayError(
    'blocked_by_module',
    `the module ${name} protects this caller and can't check calls to this endpoint`,
    { detail: name },
  );
}
