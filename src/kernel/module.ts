import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Attempt } from './attempt.ts';
import type { DecisionLog } from './conversation/decision-log.ts';
import type { PrefixKit } from './conversation/prefix.ts';
import type { Exchange } from './exchange.ts';
import type { Answer, ChatRequest } from './message.ts';
import type { Count, CountOptions, ModuleSlot } from './module-counters.ts';
import type { ModuleDefinitions } from './module-definitions.ts';
import type { ModulePage } from './module-page.ts';
import type { ModuleRoute } from './module-route.ts';
import type { NanoUsd } from './money.ts';
import type { Archive } from './ports/archive.ts';
import type { Budget, Ceilings, TagCeilings } from './ports/budget.ts';
import type { Candidate } from './ports/candidates.ts';
import type { DeclaredCollection } from './ports/collections.ts';
import type { Embeddings } from './ports/embeddings.ts';
import type { EgressFetch } from './ports/fetch.ts';
import type { McpTools } from './ports/mcp.ts';
import type { ModuleStore } from './ports/module-store.ts';
import type { Prices } from './ports/prices.ts';
import type { ScopedCache } from './ports/scoped-cache.ts';
import type { TextModels } from './ports/text-models.ts';
import type { Vectors } from './ports/vectors.ts';
import type { Target } from './provider.ts';
import type { RelayRoute } from './relay.ts';
import type { Recording } from './reply/recording.ts';
import type { Reply } from './reply/reply.ts';
import type { Rewrite } from './reply/rewrite-events.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { ToolAnswers } from './tools/tool-answers.ts';
import type { Touch } from './touches.ts';
import type { Attributes } from './trace.ts';

/**
 * The version of the module contract: `Module`, `Kit` and what they use. It changes when modules may have to change.
 */
export const moduleApi = 1;

export type Handler = (exchange: Exchange) => Promise<Reply>;

/** One function around `next`, written once for streamed and unstreamed calls. */
export interface Module<Options = unknown> {
  /** The version of this contract that the module was written for. A gateway rejects modules of another version at start. */
  readonly api: typeof moduleApi;
  /** Kebab-case: the name in pipelines, in traces and in the docs. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  readonly version?: string;
  readonly status: 'production' | 'preview';
  /** Set by a key or the environment, a request's header can't remove it. */
  readonly protective: boolean;
  /** What happens to the call when the module fails, while it handles the call or later inside its reply. */
  readonly ifBroken: 'skip' | 'reject';
  /**
   * How long it may delay a call without a break, not counting the time it waits for inner modules; 30 s by default.
   */
  readonly deadlineMs?: number;
  /**
   * Its position if a key or the environment sets it, whatever a request's list says: outermost, or next to the
   * provider.
   */
  readonly position?: 'innermost';
  /**
   * Its best position in a list, lower is earlier: caches near 0, editors near 50, guards near 100. A list may
   * override it.
   */
  readonly order?: number;
  /** What it may edit; any other edit is a fault. */
  readonly touches: readonly Touch[];
  /** Whether it may shorten or leave out earlier turns that the client sends in full. */
  readonly shortens?: true;
  /** Whether it answers from a cache, so that an answer of its own counts as a hit. */
  readonly cache?: true;
  /** Whether nothing but providers is connected to for a call with it, whatever other modules want. */
  readonly airgap?: true;
  /** Parses the options of a pipeline list, which are strings. */
  readonly options: StandardSchema<Options>;
  /**
   * Parses the content of a named configuration (`name:configuration` in a list), a JSON object of any structure. By default
   * configurations have the fields of `options`. A module with a schema of its own needs defaults for all options.
   */
  readonly configuration?: StandardSchema<Options>;
  /** Named content that an option lists, such as rules. */
  readonly definitions?: ModuleDefinitions<Options>;
  /** For a protective module set at several levels: options that are as strict as each of them. */
  strictest?(levels: readonly Options[]): Options;
  /** What a key may spend with these options, for lists of budgets. */
  ceilings?(options: Options): Ceilings;
  /** The same for calls with each value of a tag. */
  tagCeilings?(options: Options): readonly TagCeilings[];
  /** The longest time in seconds for which answers of tools that modules answer are cached in its pipelines. */
  toolAnswerSeconds?(options: Options): number;
  /** Whether it does nothing with these options; it is then skipped in calls, but stays in lists. */
  idle?(options: Options): boolean;
  handle(exchange: Exchange, next: Handler, kit: Kit<Options>): Promise<Reply>;
  /** Explains what it would do with a call, without calling anybody: for `GET /v1/route`. */
  explain?(exchange: Exchange, kit: Kit<Options>): Promise<JsonObject>;
  /** Reports what it would do with a text of a request or of an answer: for `POST /v1/guardrails/check`. */
  check?(checked: CheckedText, kit: CheckKit<Options>): Promise<JsonObject>;
  /**
   * Called once if the gateway's own pipeline has the module: prepares what its first calls would wait for. The gateway does
   * not wait for it.
   */
  warmUp?(kit: Pick<Kit<Options>, 'options' | 'embeddings' | 'textModels'>): Promise<void>;
  /** Names of what it offers beside calls, for `features` of `/v1/capabilities`. */
  readonly features?: readonly string[];
  /** Its HTTP routes, for account holders and their programs. */
  routes?(host: ModuleHost): readonly ModuleRoute[];
  /**
   * Handles a call to an endpoint without a canonical form, such as embeddings. `exchange.relay` describes it, and has the
   * fields of a JSON body; `changeRelay` makes one with other fields for `exchange.with({ relay })`. Other modules are left
   * out of such calls; if one of them is protective and must not be skipped, the calls are rejected.
   */
  handleRelay?(exchange: Exchange, next: Handler, kit: Kit<Options>): Promise<Reply>;
  /** Whether it can handle calls of this route; without it, of all. */
  handlesRoute?(route: RelayRoute): boolean;
  /** What it stores for accounts in collections: an import accepts entries of these, within their bounds. */
  readonly collections?: readonly DeclaredCollection[];
  /** A page of the dashboard for its routes. */
  readonly page?: ModulePage;
  /** Called when the gateway closes. */
  close?(): void | Promise<void>;
}

export interface CheckedText {
  readonly text: string;
  readonly direction: 'input' | 'output';
}

export type CheckKit<Options> = Pick<Kit<Options>, 'options' | 'scope' | 'textModels'>;

/** Creates a module for one gateway. */
export type ModuleFactory<Options = unknown> = (host: ModuleHost) => Module<Options>;

/** What a module can use for as long as its gateway runs. */
export interface ModuleHost {
  readonly clock: Clock;
  readonly log: ModuleLogger;
  /** The variables `WEIR_<NAME>_…` of this module, by the rest of their names. */
  settings(name: string): Readonly<Record<string, string>>;
  /**
   * The standard `fetch`, to the addresses that the operator allows for this module. It works once the module is
   * created; during a call use `kit.fetch`, which ends with the call.
   */
  readonly fetch: EgressFetch;
  /** Runs the task repeatedly, with a pause in between, until the gateway closes. Errors are logged. */
  every(pauseMs: number, run: () => void | Promise<void>): void;
  /** The module's store for a tenant, as `kit.store` is in calls; for routes and timers. */
  store(scope: string): ModuleStore;
  /** The module's vectors of a tenant, as `kit.vectors` is in calls. */
  vectors(scope: string): Vectors;
  /** Whether the request log has a call of this account; in local mode, any call. */
  hasCall(requestId: string, accountId: string | undefined): Promise<boolean>;
}

/** The gateway's log. Attributes must not contain texts of clients. */
interface ModuleLogger {
  info(message: string, facts?: JsonObject): void;
  error(message: string, facts?: JsonObject): void;
}

/** What a module works with in one call. */
export interface Kit<Options> {
  readonly options: Options;
  /** The scope of the call's tenant: data of one must not reach another. */
  readonly scope: string;
  /** This module's cache, separate for each account. Entries may disappear at any time. */
  readonly cache: ScopedCache;
  /** Durable small JSON values, separate for each account. */
  readonly store: ModuleStore;
  /** Computes vectors of texts. May fail at any time, and says why. */
  readonly embeddings: Embeddings;
  /** Finds personal data and prompt injection in texts. May fail at any time, and says why. */
  readonly textModels: TextModels;
  /** This module's searchable vectors, separate for each account. */
  readonly vectors: Vectors;
  /** Stores what is removed from requests, for the account to read and for modules to find again. */
  readonly archive: Archive;
  /** This module's decisions in this conversation, so that it does the same on every later call. */
  readonly decisions: DecisionLog;
  /** What the provider has cached of this conversation, and what may be changed in it. */
  readonly prefix: PrefixKit;
  /** Whether an inner module may edit the content: then the answer may be meant for one end user only. */
  readonly mayBeEditedDownstream: boolean;
  /** Whether an inner module may shorten or leave out earlier turns. */
  readonly mayBeShortenedDownstream: boolean;
  /** The tools of MCP servers that the caller may use. In an airgap there are none. */
  readonly mcp: McpTools;
  /** Cached answers of this module's tools; used by `withTools`. */
  readonly toolAnswers: ToolAnswers;
  readonly clock: Clock;
  /** Prices and limits of models. */
  readonly catalog: Prices;
  readonly models: Models;
  /**
   * The standard `fetch`, to the addresses that the operator allows for this module. Requests end when the client
   * leaves, unless the call has ended before.
   */
  readonly fetch: EgressFetch;
  /** The remaining budget of the caller's key. */
  readonly budget: Budget;
  /**
   * Adds to a count of this module for the account, if it stays within the limit: exact on all replicas. Rejects if
   * the store of counts is away.
   */
  count(name: string, options: CountOptions): Promise<Count>;
  /** Takes one of `limit` slots for this call, such as one of ten calls of a key in flight. Released at its end. */
  takeSlot(name: string, options: { readonly limit: number }): Promise<ModuleSlot>;
  /**
   * Records what the module saved the caller in this call; negative if it cost more. Several savings of a call add
   * up. It appears in the request log and the account's usage. The cost of the module's own questions is subtracted
   * automatically.
   */
  addSaving(nanoUsd: NanoUsd): void;
  /**
   * Marks this conversation as part of a trial, with or without the module's effect. If set on each of its calls, the
   * account's usage shows what the module is worth.
   */
  recordTrial(isHeldOut: boolean): void;
  /**
   * The time for which the module steps aside in the calls of this account, because it loses money or shows no saving; undefined
   * if it should work. `stepsAside` asks for it if the option `auto` is on.
   */
  stepAside(): Promise<StepAside | undefined>;
  /**
   * Adds to a count of this module by name, such as findings by kind. The account's usage has its sum, and so has the metric
   * `weir_module_counts_total`, where each name is a series: use few.
   */
  tally(name: string, by: number): void;
  /** Adds attributes to this module's step in the trace. */
  note(facts: Attributes): void;
  /** The same, but numbers add up and texts are appended, each once: `a+b`. */
  addNote(facts: Attributes): void;
  /** Sets a response header: `x-weir-<name>`. */
  setHeader(name: string, value: string): void;
  /**
   * The request key: a hash over everything in a call that can change its answer, including the credential. The inputs of
   * `relay.route.inputList` are left out, since each is answered by itself.
   */
  requestKey(exchange: Exchange): Promise<string>;
  /**
   * The context key: a hash over everything but the newest user text; undefined if the newest turn is more than text.
   */
  contextKey(exchange: Exchange): Promise<ConversationContext | undefined>;
  /** Caches don't store the answer of this call: it depends on more than the request. */
  keepUncached(): void;
  /**
   * `answeredBy` is the target that it came from, for the log and usage, if the recording answers the call. `metadata` is that
   * of a cached answer: in traces, the call has a link to the one that stored it.
   */
  replay(recording: Recording, answeredBy?: Target, metadata?: JsonObject): Reply;
  /** `reply.map`, for redacted values that are put back: a recording of the call keeps the reply without them. */
  restore(reply: Reply, rewrite: Rewrite): Reply;
  /** Runs once, when all attempts below this module have ended, with each attempt and its bill. */
  onBilled(then: (attempts: readonly Attempt[]) => void): void;
  /** Adds a background task that runs after the answer. It is dropped if the queue is full. */
  runInBackground(work: () => Promise<void>): void;
}

/** A time in which a module does nothing for an account. */
export interface StepAside {
  readonly sinceMs: number;
  /** When the module is tried again. */
  readonly untilMs: number;
  readonly reason: StepAsideReason;
}

/** With confidence it loses money, or nothing can be shown after many calls. */
export type StepAsideReason = 'loses' | 'nothing_shown';

/** A call, split into the newest user text and the rest. */
export interface ConversationContext {
  /** The same in every wire format, if the call uses no format-specific fields. */
  readonly key: string;
  readonly text: string;
}

/** Targets, and a module's own questions to them. */
export interface Models {
  /** Resolves a model name; undefined if no provider has such a model. */
  target(model: string): Target | undefined;
  /**
   * The targets that this call could go to: the places where the client's model is sold or, with `models`, the targets
   * of these names in their order, each once, without those that no provider knows. A name may be an alias of the
   * caller. Some may lack a credential or an ability.
   */
  candidates(
    exchange: Exchange,
    options?: { readonly models?: readonly string[] },
  ): Promise<readonly Candidate[]>;
  /** Billed to the caller, under the caller's ceilings, and logged as the module's. */
  ask(modelRequest: ModelRequest, target: Target): Promise<Answer>;
  /**
   * The same with a streamed reply, through the modules of another pipeline list. The protective modules of the call
   * stay in it.
   */
  run(modelRequest: ModelRequest, options: RunOptions): Promise<Reply>;
}

export interface RunOptions {
  readonly target: Target;
  /** A pipeline list such as `exact-cache?ttl=1h`; without one, only the protective modules run. */
  readonly pipeline?: string;
}

export type ModelRequest = Omit<ChatRequest, 'model' | 'stream'>;

/** Infers the option types of a module. */
export function defineModule<Options>(module: Module<Options>): Module<Options> {
  return module;
}
