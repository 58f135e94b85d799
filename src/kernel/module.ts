import type { Attempt } from './attempt.ts';
import type { Clock } from './clock.ts';
import type { DecisionLog } from './conversation/decision-log.ts';
import type { PrefixKit } from './conversation/prefix.ts';
import type { Exchange } from './exchange.ts';
import type { JsonObject } from './json.ts';
import type { Answer, ChatRequest } from './message.ts';
import type { NanoUsd } from './money.ts';
import type { Archive } from './ports/archive.ts';
import type { Budget } from './ports/budget.ts';
import type { Embeddings } from './ports/embeddings.ts';
import type { ModuleStore } from './ports/module-store.ts';
import type { Patterns } from './ports/patterns.ts';
import type { Prices } from './ports/prices.ts';
import type { ScopedCache } from './ports/scoped-cache.ts';
import type { Vectors } from './ports/vectors.ts';
import type { Target } from './provider.ts';
import type { Recording } from './reply/recording.ts';
import type { Reply } from './reply/reply.ts';
import type { Touch } from './touches.ts';
import type { Attributes } from './trace.ts';

/** The version of the module contract: `Module`, `Kit` and what they use. It changes when a module may have to change. */
export const moduleApi = 1;

export type Handler = (exchange: Exchange) => Promise<Reply>;

/** What may happen to a call: one function around `next`, written once for streamed and unstreamed calls. */
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
  /** What happens to the call when the module itself fails, while it handles the call or later inside of its reply. */
  readonly ifBroken: 'skip' | 'reject';
  /** How long it may keep a call waiting at a stretch, what it waits for further in not counted; 30 s unless said. */
  readonly deadlineMs?: number;
  /** Where it goes that a key or the environment set, whatever a request's list says: outside of the list, or next to the provider. */
  readonly position?: 'innermost';
  /** Where it does best in a list, the lower the earlier: memory near 0, what edits near 50, guards near 100. A list may say otherwise. */
  readonly order?: number;
  /** What it may edit; whatever else it edits is a fault of its own. */
  readonly touches: readonly Touch[];
  /** It is there to answer from memory: when it does, that is a hit. */
  readonly cache?: true;
  /** Reads the options of a pipeline list, which arrive as strings. */
  readonly options: StandardSchema<Options>;
  /** For a protective module that several levels set: options that are as strict as each of these. */
  strictest?(levels: readonly Options[]): Options;
  /** Whether it does nothing with these options; it is then left out of the call, but not of the lists. */
  idle?(options: Options): boolean;
  handle(exchange: Exchange, next: Handler, kit: Kit<Options>): Promise<Reply>;
  /** When the gateway closes. */
  close?(): void | Promise<void>;
}

/** Makes a module for one gateway. */
export type ModuleFactory<Options = unknown> = (host: ModuleHost) => Module<Options>;

/** What a module has for as long as its gateway runs. */
export interface ModuleHost {
  readonly clock: Clock;
  readonly log: ModuleLogger;
  /** Variables `WEIR_<NAME>_…` for the module of this name, by what follows in theirs. */
  settings(name: string): Readonly<Record<string, string>>;
  /** Runs again and again, from one pause to the next, until the gateway closes. What it throws is logged. */
  every(pauseMs: number, run: () => void | Promise<void>): void;
}

/** The gateway's log, for people. Facts must not hold what clients said. */
interface ModuleLogger {
  info(message: string, facts?: JsonObject): void;
  error(message: string, facts?: JsonObject): void;
}

/** What a module works with. */
export interface Kit<Options> {
  readonly options: Options;
  /** A name for the tenant behind the call: what is remembered for one must not reach another. */
  readonly scope: string;
  /** This module's shelf, separate for each account. What is on it may be gone at any time. */
  readonly cache: ScopedCache;
  /** What stays, as small JSON values: separate for each account, too. */
  readonly store: ModuleStore;
  /** Texts as vectors. They can be missing at any time, and say why. */
  readonly embeddings: Embeddings;
  /** This module's vectors, to be found by what lies near them: separate for each account, too. */
  readonly vectors: Vectors;
  /** What the account has learned, which is one for all modules. */
  readonly patterns: Patterns;
  /** Where what is left out of requests can be read by the account. */
  readonly archive: Archive;
  /** What this module decided in this conversation, so that it does the same to it on every later call. */
  readonly decisions: DecisionLog;
  /** What its provider keeps of this conversation, and what may be changed in that. */
  readonly prefix: PrefixKit;
  /** Whether a module further in may edit what is said: then the answer may be meant for one person alone. */
  readonly mayBeEditedDownstream: boolean;
  readonly clock: Clock;
  /** What models cost, and how much they can read and say. */
  readonly catalog: Prices;
  readonly models: Models;
  /** What the caller's key may still spend. */
  readonly budget: Budget;
  /**
   * What the module saved the caller in this call, less than 0 where it cost more; several sums of a call add up. It is in
   * the request log and in the account's usage. What its own questions to models cost is taken off by itself.
   */
  addSaving(nanoUsd: NanoUsd): void;
  /**
   * Says that this conversation is one of a trial: with what the module does, or without. Said on each of its calls, it
   * shows in the account's usage what the module is worth.
   */
  recordTrial(isHeldOut: boolean): void;
  /** Says something about this call in its trace. */
  note(facts: Attributes): void;
  /** Tells the client something in a header of the answer: `x-weir-<name>`. */
  setHeader(name: string, value: string): void;
  /** A name for everything in a call that can change its answer; the same name is the same question, for the same credential. */
  requestKey(exchange: Exchange): Promise<string>;
  /**
   * What surrounds the newest words of the user, by a name for everything else that can change the answer; undefined where
   * the newest turn is more than text.
   */
  contextKey(exchange: Exchange): Promise<ConversationContext | undefined>;
  replay(recording: Recording): Reply;
  /** Runs once, when all is over that providers were asked for below this module, with each answer and its bill. */
  onBilled(then: (attempts: readonly Attempt[]) => void): void;
  /** Work for after the answer, which the client doesn't wait for. Where too much waits already, it is left undone. */
  runInBackground(work: () => Promise<void>): void;
}

/** A call, taken apart into what the user says now and all the rest. */
export interface ConversationContext {
  /** The same in every wire format, where nothing in the call belongs to one of them. */
  readonly key: string;
  readonly text: string;
}

/** Questions of a module's own to models. */
export interface Models {
  /** Where a model's name leads; undefined where nobody has such a model. */
  target(model: string): Target | undefined;
  /** Billed to the caller, under the caller's ceilings, and shown in the log as the module's. */
  ask(modelRequest: ModelRequest, target: Target): Promise<Answer>;
}

export type ModelRequest = Omit<ChatRequest, 'model' | 'stream'>;

/** The part of the Standard Schema convention (standardschema.dev) that we use: any schema library fits. */
interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** Describes the options for the docs, where the schema library can. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonObject };
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Gives a module its type without losing that of its options. */
export function defineModule<Options>(module: Module<Options>): Module<Options> {
  return module;
}
