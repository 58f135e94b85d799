import type { JsonObject } from '../lib/json.ts';
import type { FieldReader } from './json/lazy-json-object.ts';
import type { NanoUsd } from './money.ts';

/** How an API describes batches of calls. */
export interface BatchFormat {
  /** What a request asks for. Throws if that makes no sense. */
  requestIn(fields: FieldReader, path: string): BatchRequest;
  /** The calls in files; undefined if they are always in the request. */
  readonly file?: BatchFileFormat;
  stateOf(batch: JsonObject): BatchState;
  /** For lists of batches of all APIs. */
  summaryOf(batch: JsonObject): BatchSummary;
  /** What one line of the results says. */
  resultIn(line: JsonObject): BatchResult;
  /** The results in the description of a batch itself; undefined if it has none. */
  resultsIn?(batch: JsonObject): readonly JsonObject[] | undefined;
}

/** A request that makes a batch. */
export interface BatchRequest {
  /** The path of each of its calls. */
  readonly callPath: string;
  /** The bodies of its calls; undefined if they are in a file. */
  readonly calls?: readonly JsonObject[] | undefined;
  readonly inputFile?: string | undefined;
}

/** How the lines of a file describe calls. */
export interface BatchFileFormat {
  /** Names that each call has. */
  readonly names: readonly string[];
  callIn(line: JsonObject): BatchCall | undefined;
}

export interface BatchCall {
  readonly path: string;
  /** The body that it would have by itself. */
  readonly body: JsonObject;
  /** Whether only the request that makes the batch names the model. */
  readonly hasLateModel?: true;
}

interface BatchState {
  /** Whether nothing will change any more. */
  readonly isFinal: boolean;
  /** Whether there are results to be read. */
  readonly hasResults: boolean;
  /** The files with results. */
  readonly resultFiles: readonly string[];
}

/** What people want to know of a batch. What its provider does not say is undefined. */
export interface BatchSummary {
  /** In the provider's words, such as `in_progress`. */
  readonly state: string;
  readonly calls: number | undefined;
  readonly completed: number | undefined;
  readonly failed: number | undefined;
  readonly madeAtMs: number | undefined;
}

interface BatchResult {
  /** The answer; undefined if the call failed. */
  readonly answer: JsonObject | undefined;
}

/** The calls of a batch before it is made. */
export interface BatchEstimate {
  readonly calls: number;
  /** At batch rates: the input as estimated, and all output that the calls may ask for. */
  readonly nanoUsd: NanoUsd;
  /** The models, without repetitions; the provider's names. */
  readonly models: readonly string[];
  /** Why the cost is unknown, if it is. */
  readonly fault?: string | undefined;
  /** Calls that have no price before a batch names their model. */
  readonly unpriced?: UnpricedCalls | undefined;
}

/** Calls to a model that is not known yet, apart by size, since some models have higher prices for long inputs. */
interface UnpricedCalls {
  readonly short: CallTokens;
  readonly long: CallTokens;
}

/** The sums of some calls. */
export interface CallTokens {
  readonly calls: number;
  readonly inputTokens: number;
  /** What the calls with a limit may write. */
  readonly outputTokens: number;
  /** Answers that may be as long as their model writes. */
  readonly unlimitedAnswers: number;
}

/** What is set aside for a batch until its results are read. */
export interface BatchReservation {
  /** The name of the reservation in the database. */
  readonly id: string;
  readonly nanoUsd: NanoUsd;
  /** The keys, tags and stored budgets whose counts have it. */
  readonly keyIds: readonly string[];
  /** The account and the key that pay. */
  readonly accountId: string;
  readonly keyId: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The budgets that it counts in by the hour; undefined if there are none. */
  readonly hourlyBudgets?: readonly { readonly budgetId: string; readonly value: string }[] | undefined;
  /** The path of its calls. */
  readonly callPath: string;
  /** Whether the batch was billed; then nothing is set aside any more. */
  readonly isSettled: boolean;
  /** What it was billed. */
  readonly billedNanoUsd?: NanoUsd | undefined;
}
