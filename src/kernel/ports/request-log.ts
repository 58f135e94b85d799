import type { NanoUsd } from '../money.ts';
import type { Ending } from '../reply/ending.ts';
import type { Attributes, Effect } from '../trace.ts';

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
  /** Until the call left for the provider that answered, had a connection to it, and saw the first of its answer. */
  readonly leftMs: number | null;
  readonly connectedMs: number | null;
  readonly headMs: number | null;
  readonly pipeline: string;
  readonly steps: readonly LoggedStep[];
  readonly changes: readonly LoggedChange[];
}

/** What the gateway itself did to a call, besides its modules. */
export interface LoggedChange {
  /** A field that the other wire format has no place for, or a header that was added to the answer. */
  readonly what: 'left-out' | 'header';
  readonly name: string;
}

/** What one module was seen to do. */
export interface LoggedStep {
  readonly module: string;
  readonly effect: Effect;
  readonly ms: number;
  readonly facts: Attributes;
  /** What it saved; less than 0 where it cost more. Left out where that is nothing. */
  readonly savedNanoUsd?: NanoUsd;
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
  /** One that did more than to let the call pass. */
  readonly module?: string | undefined;
  /** What a module was seen to do: the one that is named, or any. */
  readonly effect?: Effect | undefined;
  /** A part of a model's name or of an error's code, or the beginning of an id. */
  readonly search?: string | undefined;
}

type StatusFilter = 'error' | { readonly least: number; readonly greatest: number };

export interface LogQuery {
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

/** Calls from one moment to another; both are beginnings of steps, or times that no call came after. */
export interface LogSumsQuery {
  /** Undefined asks about all there are. */
  readonly accountId: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

export interface CallSums {
  readonly requests: number;
  /** Without those that a cache of the provider was read or written for. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costNanoUsd: NanoUsd;
  readonly savedNanoUsd: NanoUsd;
}

/** What calls of one kind come to in all of the time. */
export interface KindSums extends CallSums {
  readonly keyId: string | null;
  readonly provider: string | null;
  /** As it was used, or asked for where it wasn't. */
  readonly model: string;
  readonly status: number;
  readonly ending: string;
  readonly errorCode: string | null;
  readonly isFailed: boolean;
  /** Whether a module answered. */
  readonly isCached: boolean;
}

/** What calls come to in one step. */
export interface IntervalSums extends CallSums {
  /** The first is 0. */
  readonly step: number;
  readonly model: string;
  readonly isFailed: boolean;
  readonly isCached: boolean;
}

/** How many calls took how long: `bin` is the eighth part of a natural logarithm, of microseconds. */
interface BinSums {
  readonly bin: number;
  readonly requests: number;
}

export interface IntervalTimes extends BinSums {
  readonly what: 'content' | 'overhead';
  readonly step: number;
}

/** Until the first content. */
export interface ModelTimes extends BinSums {
  readonly provider: string;
  readonly model: string;
}

export interface ModuleSums {
  readonly module: string;
  readonly effect: string;
  readonly requests: number;
  readonly ownUs: number;
  readonly savedNanoUsd: NanoUsd;
}

/** A quarter of an hour, an hour or a day of UTC. */
export interface SumsSpan {
  readonly startMs: number;
  readonly ms: number;
}

/** Exact for whole minutes, quarters of an hour, hours or days, by how long ago they were, however many calls there are. */
export interface LogSums {
  readonly kinds: readonly KindSums[];
  readonly steps: readonly IntervalSums[];
  readonly stepTimes: readonly IntervalTimes[];
  readonly modelTimes: readonly ModelTimes[];
  readonly modules: readonly ModuleSums[];
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
  page(question: LogQuery): Promise<LogPage>;
  /** What calls come to; those that were deleted for their number are still part of it. */
  sums(question: LogSumsQuery): Promise<LogSums>;
  /** The first time that sums are kept of in this way; undefined where there are none. */
  oldestSums(kept: 'by-minute' | 'folded'): Promise<number | undefined>;
  /** Puts the minutes of this span together; there are none left in it then. */
  foldMinutes(span: SumsSpan): Promise<void>;
  /** Puts shorter spans of this one together, which were put together before. */
  foldSums(span: SumsSpan): Promise<void>;
  /** Deletes sums of the oldest minute or hour before this time; false where there are none. */
  forgetSums(beforeMs: number): Promise<boolean>;
  /** Deletes what nothing is known of any more. */
  forgetKinds(): Promise<void>;
  /** Undefined where there is none, or none of this account. */
  find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined>;
  /** The newest call that is not among the `count` newest; undefined where there are no more than these. */
  newestBehind(count: number): Promise<string | undefined>;
  /** Deletes the oldest calls up to this id, `most` at a time; resolves to how many they were. */
  forget(upToId: string, most: number): Promise<number>;
  /** True where the holder may clean until then, false while somebody else may. */
  acquireCleanupLease(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
}
