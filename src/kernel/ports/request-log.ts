import type { NanoUsd } from '../money.ts';
import type { Ending } from '../reply/ending.ts';
import type { Effect, Facts } from '../trace.ts';

/** One call as it is remembered. What was said in it is not. */
export interface LoggedCall {
  /** Begins with the time, so that the order of ids is the order in which calls came. */
  readonly id: string;
  /** When the call came. */
  readonly atMs: number;
  readonly accountId: string;
  readonly keyId: string | null;
  /** The module whose own question it was; null where a client asked. */
  readonly askedBy: string | null;
  readonly modelAsked: string;
  /** Null, like the provider, where it was not known what to ask. */
  readonly modelUsed: string | null;
  readonly provider: string | null;
  readonly wire: string;
  /** The format in which the provider was asked; null where none was asked over the network. */
  readonly providerWire: string | null;
  readonly streamed: boolean;
  readonly status: number;
  readonly ending: Ending['how'];
  readonly errorCode: string | null;
  /** Tokens are null where nobody told how many there were. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number | null;
  /** Null where nobody knows what the call cost. */
  readonly costNanoUsd: NanoUsd | null;
  readonly costEstimated: boolean;
  /** What the call would have cost without a cache. */
  readonly savedNanoUsd: NanoUsd;
  /** Times are kept to a thousandth of a millisecond. */
  readonly contentMs: number | null;
  readonly totalMs: number;
  readonly overheadMs: number;
  readonly pipeline: string;
  readonly steps: readonly LoggedStep[];
}

/** What one module was seen to do. */
export interface LoggedStep {
  readonly module: string;
  readonly effect: Effect;
  readonly ms: number;
  readonly facts: Facts;
}

/** Which calls are meant; what is left out doesn't matter. */
export interface LogFilter {
  /** The first millisecond, and the first that isn't meant any more. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** As it was asked for, or as it was used. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly keyId?: string | undefined;
  readonly ending?: Ending['how'] | undefined;
  /** From the least to the greatest; or all that went wrong, also in the middle of an answer. */
  readonly status?: StatusFilter | undefined;
}

type StatusFilter = 'error' | { readonly least: number; readonly greatest: number };

export interface LogQuestion {
  /** Undefined asks about all there are. */
  readonly accountId: string | undefined;
  readonly filter: LogFilter;
  /** Calls next to this id, on one side of it or on the other; the newest there are where none is given. */
  readonly beside?: { readonly id: string; readonly side: 'older' | 'newer' } | undefined;
  readonly limit: number;
}

export interface LogPage {
  /** The newest first. */
  readonly calls: readonly LoggedCall[];
  /** Whether there may be more on that side. */
  readonly more: boolean;
  /** How far was looked on that side, to go on from; undefined where nothing was found and nothing is left. */
  readonly reached: string | undefined;
}

/** Where calls are remembered, for a bounded time and up to a bounded number. */
export interface RequestLog {
  /** All or none. A call that is there already stays as it is. */
  add(calls: readonly LoggedCall[]): Promise<void>;
  /** Calls as a line of text, in which they can wait to be added, also in a file. */
  pack(calls: readonly LoggedCall[]): string;
  /** Whether a line is a whole one that `pack` made. */
  isPack(line: string): boolean;
  /** Like `add`. */
  addPacked(packs: readonly string[]): Promise<void>;
  /** A rare call is searched for a bounded time: a page may have fewer than `limit` and say that there are more. */
  page(question: LogQuestion): Promise<LogPage>;
  /** Undefined where there is none, or none of this account. */
  find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined>;
  /** The newest call that is not among the `count` newest; undefined where there are no more than these. */
  newestBehind(count: number): Promise<string | undefined>;
  /** Deletes the oldest calls up to this id, `most` at a time; resolves to how many they were. */
  forget(upToId: string, most: number): Promise<number>;
  /** True where the holder may clean until then, false while somebody else may. */
  mayClean(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
}
