import type { JsonObject } from '../lib/json.ts';
import type { NanoUsd } from './money.ts';

/** How an API describes batches of calls. */
export interface BatchFormat {
  /** The bodies of the calls in a request that makes a batch. Without it, the calls are lines of a file. */
  callsIn?(request: JsonObject): readonly JsonObject[];
  /** The file with the calls. */
  inputFileIn?(request: JsonObject): string | undefined;
  /** The path of one of its calls. */
  callPathIn(batch: JsonObject): string;
  stateOf(batch: JsonObject): BatchState;
  /** What one line of the results says. */
  resultIn(line: JsonObject): BatchResult;
}

interface BatchState {
  /** Whether nothing will change any more. */
  readonly isFinal: boolean;
  /** Whether there are results to be read. */
  readonly hasResults: boolean;
  /** The files with results. */
  readonly resultFiles: readonly string[];
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
}

/** What is set aside for a batch until its results are read. */
export interface BatchReservation {
  /** The name of the reservation in the database. */
  readonly id: string;
  readonly nanoUsd: NanoUsd;
  /** The keys and tags whose budgets it counts in. */
  readonly keyIds: readonly string[];
  /** The account and the key that pay. */
  readonly accountId: string;
  readonly keyId: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The path of its calls. */
  readonly callPath: string;
  /** Whether the batch was billed; then nothing is set aside any more. */
  readonly isSettled: boolean;
}
