import { GatewayError } from './errors.ts';
import { type Exchange, scopeOf } from './exchange.ts';
import { limits } from './limits.ts';
import { Lru } from './lru.ts';
import type { Handler, Kit, Module } from './module.ts';
import { observe } from './observe.ts';
import { formatPipelineList, type Listed, parsePipelineList } from './pipeline-list.ts';
import type { Reply } from './reply.ts';
import type { Step } from './trace.ts';

/** A module of a pipeline with its options read. */
export interface Stage {
  readonly module: Module;
  readonly options: unknown;
  readonly listed: Listed;
}

export interface Pipeline {
  readonly text: string;
  readonly stages: readonly Stage[];
  run(exchange: Exchange, upstream: Handler): Promise<Reply>;
}

/** What every kit has, whatever its module. */
export type KitMaker = (module: Module, scope: string) => Omit<Kit<unknown>, 'options' | 'note'>;

/** The modules an instance has, and the pipelines compiled from them. */
export class Pipelines {
  readonly modules: ReadonlyMap<string, Module>;
  readonly #kits: KitMaker;
  readonly #compiled = new Lru<Pipeline>(limits.compiledPipelinesMax);

  constructor(modules: ReadonlyMap<string, Module>, kits: KitMaker) {
    this.modules = modules;
    this.#kits = kits;
  }

  /** `base` is what the key or the environment set: its protective modules stay, whatever `asked` says. */
  compile(asked: string, base?: string): Pipeline {
    const key = base === undefined ? asked : `${asked}\n${base}`;
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const stages = parsePipelineList(asked).map((listed) => this.#stage(listed));
    const kept = base === undefined ? stages : this.#withProtection(stages, base);
    const pipeline = this.#pipeline(kept);
    this.#compiled.set(key, pipeline);
    return pipeline;
  }

  #withProtection(asked: readonly Stage[], base: string): readonly Stage[] {
    const protection = this.compile(base).stages.filter((stage) => stage.module.protective);
    const protectedNames = new Set(protection.map((stage) => stage.module.name));
    return [...protection, ...asked.filter((stage) => !protectedNames.has(stage.module.name))];
  }

  #stage(listed: Listed): Stage {
    const module = this.modules.get(listed.name);
    if (module === undefined)
      throw new GatewayError(
        'unknown_module',
        `there is no module "${listed.name}" here; GET /v1/capabilities lists them`,
      );
    const read = module.options['~standard'].validate(listed.options);
    if (read instanceof Promise)
      throw new Error(`the options of ${listed.name} must be checked without waiting`);
    if (read.issues === undefined) return { module, options: read.value, listed };
    const [issue] = read.issues;
    const step = issue?.path?.[0];
    const param = typeof step === 'object' ? String(step.key) : step === undefined ? undefined : String(step);
    const where = param === undefined ? listed.name : `${listed.name}?${param}`;
    throw new GatewayError(
      'bad_module_option',
      `${where}: ${issue?.message ?? 'bad option'}`,
      param === undefined ? {} : { param },
    );
  }

  #pipeline(stages: readonly Stage[]): Pipeline {
    const text = stages.length === 0 ? 'none' : formatPipelineList(stages.map((stage) => stage.listed));
    return { text, stages, run: (exchange, upstream) => this.#handler(stages, 0, upstream)(exchange) };
  }

  /** The stages from `first` on, with the upstream behind them. */
  #handler(stages: readonly Stage[], first: number, upstream: Handler): Handler {
    const stage = stages[first];
    if (stage === undefined) return upstream;
    const next = this.#handler(stages, first + 1, upstream);
    return (exchange) => {
      const step = exchange.trace.step(stage.module.name);
      return observe(stage.module, { exchange, next, step, kit: this.#kit(stage, exchange, step) });
    };
  }

  #kit(stage: Stage, exchange: Exchange, step: Step): Kit<unknown> {
    const shared = this.#kits(stage.module, scopeOf(exchange.caller));
    return { ...shared, options: stage.options, note: (facts) => step.note(facts) };
  }
}
