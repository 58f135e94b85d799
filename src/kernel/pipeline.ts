import type { PrefixGuard } from './conversation/prefix-guard.ts';
import { GatewayError } from './errors.ts';
import { askedFor, askingOf, type Exchange } from './exchange.ts';
import { isJsonObject } from './json.ts';
import { limits } from './limits.ts';
import { Lru } from './lru.ts';
import type { Handler, Kit, Module, SchemaIssue } from './module.ts';
import { Observation } from './observation.ts';
import { formatPipelineList, type Listed, listFaults, parsePipelineList } from './pipeline-list.ts';
import { custody, type Reply } from './reply/reply.ts';
import { Timekeeper } from './stopwatch.ts';
import type { Touch } from './touches.ts';

/** A module of a pipeline with its options read. */
export interface Stage {
  readonly module: Module;
  readonly options: unknown;
  readonly listed: Listed;
}

export interface Pipeline {
  readonly text: string;
  readonly stages: readonly Stage[];
  /** Whether a module in it may send a call elsewhere. */
  readonly mayMove: boolean;
  /** Whether a module in it may edit what providers keep of a conversation. */
  readonly mayEdit: boolean;
  run(exchange: Exchange, upstream: Handler): Promise<Reply>;
}

/** What a module works with in one call. */
export type KitMaker = (at: Workplace) => Kit<unknown>;

export interface Workplace {
  readonly options: unknown;
  readonly observation: Observation;
  /** Where questions of the module's own go: past whoever protects the caller, and to the provider. */
  readonly aside: Handler;
  /** Whether a module further in may edit what is said. */
  mayBeEdited(): boolean;
}

/** The modules an instance has, and the pipelines compiled from them. */
export class Pipelines {
  readonly modules: ReadonlyMap<string, Module>;
  readonly #kits: KitMaker;
  readonly #guard: Pick<PrefixGuard, 'open'>;
  readonly #timekeeper = new Timekeeper();
  readonly #compiled = new Lru<Pipeline>(limits.compiledPipelinesMax);

  constructor(modules: ReadonlyMap<string, Module>, kits: KitMaker, guard: Pick<PrefixGuard, 'open'>) {
    this.modules = modules;
    this.#kits = kits;
    this.#guard = guard;
  }

  /** Pipelines that are kept. */
  get kept(): number {
    return this.#compiled.size;
  }

  /** `lower` is what the key and the environment set: their protective modules stay, whatever `asked` says. */
  compile(asked: string, ...lower: readonly string[]): Pipeline {
    const key = lower.length === 0 ? asked : [asked, ...lower].join('\n');
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    let stages = parsePipelineList(asked).map((listed) => stageOf(listed, this.modules));
    for (const list of lower) stages = this.#withProtection(stages, list);
    const pipeline = this.#pipeline(stages);
    this.#compiled.set(key, pipeline);
    return pipeline;
  }

  /** All that is wrong with a list; empty where it would run. */
  faults(list: string): readonly string[] {
    return listFaults(list, (listed) => stageOf(listed, this.modules));
  }

  #withProtection(asked: readonly Stage[], lower: string): Stage[] {
    const protection = this.compile(lower)
      .stages.filter((stage) => stage.module.protective)
      .map((stage) => {
        const same = asked.find(({ module }) => module === stage.module);
        return same === undefined ? stage : strictestOf(stage, same);
      });
    const protectedNames = new Set(protection.map((stage) => stage.module.name));
    const inner = protection.filter(isInnermost);
    const outer = protection.filter((stage) => !isInnermost(stage));
    return [...outer, ...asked.filter((stage) => !protectedNames.has(stage.module.name)), ...inner];
  }

  #pipeline(stages: readonly Stage[]): Pipeline {
    const text = stages.length === 0 ? 'none' : formatPipelineList(stages.map((stage) => stage.listed));
    const active = stages.filter(({ module, options }) => module.idle?.(options) !== true);
    const editing = active.filter(({ module }) => module.touches.some((touch) => kept.has(touch)));
    const names = editing.map(({ module }) => module.name);
    return {
      text,
      stages,
      mayMove: active.some(({ module }) => module.touches.includes('target')),
      mayEdit: names.length > 0,
      run: (exchange, upstream) =>
        names.length === 0
          ? this.#handler(active, 0, upstream)(exchange)
          : this.#guarded(exchange, names, (watched) => this.#handler(active, 0, noted(upstream))(watched)),
    };
  }

  /** With what is known of what its provider keeps, which these modules may not change. */
  async #guarded(exchange: Exchange, modules: readonly string[], run: Handler): Promise<Reply> {
    const prefix = await this.#guard.open(exchange, modules);
    return run(askedFor(exchange, { ...askingOf(exchange), prefix }));
  }

  /** The stages from `first` on, with the upstream behind them. */
  #handler(stages: readonly Stage[], first: number, upstream: Handler): Handler {
    const stage = stages[first];
    if (stage === undefined) return upstream;
    const next = this.#handler(stages, first + 1, upstream);
    const aside: Handler = (question) => {
      const protection = stages.filter((other) => other.module.protective && other !== stage);
      return this.#handler(protection, 0, upstream)(question);
    };
    const { module, options } = stage;
    return (exchange) => {
      const step = exchange.trace.step(module.name, module.cache);
      const observation = new Observation(module, { exchange, next, step, timekeeper: this.#timekeeper });
      const mayBeEdited = () =>
        stages.slice(first + 1).some((other) => other.module.touches.some((touch) => said.has(touch)));
      const kit = this.#kits({ options, observation, aside, mayBeEdited });
      return observation.run(() => module.handle(exchange, observation.next, kit));
    };
  }
}

/** Rejects what isn't there, and options that it doesn't take. */
export function stageOf(listed: Listed, modules: ReadonlyMap<string, Module>): Stage {
  const module = modules.get(listed.name);
  if (module === undefined)
    throw new GatewayError(
      'unknown_module',
      `there is no module "${listed.name}" here; GET /v1/capabilities lists them`,
    );
  const read = module.options['~standard'].validate(listed.options);
  if (read instanceof Promise)
    throw new Error(`the options of ${listed.name} must be checked without waiting`);
  if (read.issues === undefined) return { module, options: read.value, listed };
  const faults = read.issues.map((issue) => optionFault(listed.name, issue));
  const param = faults.find((fault) => fault.param !== undefined)?.param;
  throw new GatewayError(
    'bad_module_option',
    faults.map(({ message }) => message).join('; '),
    param === undefined ? {} : { param },
  );
}

const said: ReadonlySet<Touch> = new Set(['system', 'history', 'newest-turn']);

function optionFault(name: string, issue: SchemaIssue): { message: string; param?: string } {
  const unknown = 'keys' in issue && Array.isArray(issue.keys) ? issue.keys.map(String) : [];
  const [first] = unknown;
  if (first !== undefined)
    return { message: `${name}: there is no option ${unknown.map(quoted).join(' and no ')}`, param: first };
  const step = issue.path?.[0];
  if (step === undefined) return { message: `${name}: ${issue.message}` };
  const param = typeof step === 'object' ? String(step.key) : String(step);
  return { message: `${name}?${param}: ${issue.message}`, param };
}

function quoted(text: string): string {
  return `"${text.slice(0, limits.toldFieldCharacters).toWellFormed()}"`;
}

/** What providers keep, and read again for less. */
const kept: ReadonlySet<Touch> = new Set(['tools', 'system', 'history', 'newest-turn']);

/** An upstream whose every beginning answer is noted as something that its provider keeps. */
function noted(upstream: Handler): Handler {
  return async (exchange) => {
    const reply = await upstream(exchange);
    const noting = askingOf(exchange).prefix?.begun(exchange);
    return noting === undefined ? reply : custody.onEnd(reply, () => noting);
  };
}

function isInnermost({ module }: Stage): boolean {
  return module.place === 'innermost';
}

/** The lower level's, made as strict as what was asked for where the module can say what that is. */
function strictestOf(lower: Stage, asked: Stage): Stage {
  const { module, listed } = lower;
  if (module.strictest === undefined) return lower;
  const options = module.strictest([lower.options, asked.options]);
  return { module, options, listed: { name: listed.name, options: writtenAs(options, [lower, asked]) } };
}

/** As they stood in the list that each of them is from. */
function writtenAs(options: unknown, levels: readonly Stage[]): Listed['options'] {
  const texts: Record<string, string> = {};
  for (const level of levels)
    for (const [name, text] of Object.entries(level.listed.options))
      if (optionOf(level.options, name) === optionOf(options, name)) texts[name] ??= text;
  return texts;
}

function optionOf(options: unknown, name: string): unknown {
  return isJsonObject(options) ? options[name] : undefined;
}
