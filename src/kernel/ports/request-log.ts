import type { BreakReason } from '../conversation/prefix.ts';
import type { Units } from '../message.ts';
import type { NanoUsd } from '../money.ts';
import type { Ending } from '../reply/ending.ts';
import type { Tags } from '../tags.ts';
import type { Attributes, Effect } from '../trace.ts';

/** The format of calls of MCP tools. They are rows of the log, and count in no sums, which are about calls to models. */
export const toolCallWire = 'mcp';

/** One logged call, without its content. */
export interface LoggedCall {
  /** Starts with the time, so that ids are ordered by arrival. */
  readonly id: string;
  /** When the call arrived. */
  readonly atMs: number;
  readonly accountId: string;
  readonly keyId: string | null;
  /** The module that made the call; null for a client's call. */
  readonly askedBy: string | null;
  /** The part of an agent that made the call; null if the client named none. */
  readonly agent: string | null;
  /** The program that made the call, by its user agent, without the version; null if it has none. */
  readonly client: string | null;
  /** The name of the conversation; null if neither the client nor a module named it. */
  readonly conversation: string | null;
  /** The conversation whose agent started this one as a subagent; null for any other call. */
  readonly parentConversation: string | null;
  /** Null if the conversation has no name. */
  readonly turn: LoggedTurn | null;
  /** The pseudonym of the end user; null if the call names none. */
  readonly endUser: string | null;
  readonly tags: Tags;
  readonly modelAsked: string;
  /** Null, like the provider, if it was never determined. */
  readonly modelUsed: string | null;
  readonly provider: string | null;
  readonly wire: string;
  /** The format of the request to the provider; null if there was no network request. */
  readonly providerWire: string | null;
  readonly streamed: boolean;
  readonly status: number;
  readonly ending: Ending['how'];
  readonly errorCode: string | null;
  /** What the provider calls the error, such as `overloaded_error`; null if it did not fail there. */
  readonly providerError: string | null;
  /** The gateway's own explanation of the error; null if it may quote the request or the provider. */
  readonly errorMessage: string | null;
  /** The provider's own id of the request. */
  readonly providerRequestId: string | null;
  /** Why the model stopped; null if unknown. */
  readonly stopReason: string | null;
  /** Token counts are null if unknown. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number | null;
  /** What the call was billed for beside tokens, or in place of them; null for nothing. */
  readonly units: Units | null;
  /** Null if the cost is unknown. */
  readonly costNanoUsd: NanoUsd | null;
  readonly costEstimated: boolean;
  /** The cost of the call without a cache. */
  readonly savedNanoUsd: NanoUsd;
  /** Times have microsecond precision. */
  readonly contentMs: number | null;
  readonly totalMs: number;
  readonly overheadMs: number;
  /** Until the call was sent to the provider that answered, was connected, and received the first bytes. */
  readonly leftMs: number | null;
  readonly connectedMs: number | null;
  readonly headMs: number | null;
  readonly pipeline: string;
  readonly steps: readonly LoggedStep[];
  readonly changes: readonly LoggedChange[];
  /** All attempts of a call that took more than one; empty otherwise, since the call itself has all there is to say. */
  readonly attempts: readonly LoggedAttempt[];
  /** How many calls the row stands for, if only a share of them is stored; 0 if it counts in the sums only. */
  readonly weight: number;
}

/** A call as a turn of its conversation. */
export interface LoggedTurn {
  /** Fingerprints of the client's tools and instructions, to see whether they change; empty if there are none. */
  readonly tools: string;
  readonly system: string;
  /** How often the answer calls each tool, by name. */
  readonly called: Readonly<Record<string, number>>;
  /** Whether the provider caches the prompt for an hour, at the client's request. */
  readonly hour?: true;
  /** What the prefix guard found, if modules edit the conversation. */
  readonly breakReason?: BreakReason;
}

/** One request to a provider. Times are since the start of the call. */
export interface LoggedAttempt {
  readonly provider: string;
  readonly model: string;
  /** The module that made the attempt, as a retry or for itself; null for the client's own request. */
  readonly askedBy: string | null;
  readonly ending: Ending['how'];
  readonly errorCode: string | null;
  readonly startedMs: number;
  readonly leftMs: number | null;
  readonly connectedMs: number | null;
  readonly headMs: number | null;
  readonly contentMs: number | null;
  readonly endedMs: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costNanoUsd: NanoUsd | null;
}

/** Changes of a call by the gateway itself, not its modules. */
export interface LoggedChange {
  /** A field that the other wire format can't express, or a header added to the response. */
  readonly what: 'left-out' | 'header';
  readonly name: string;
}

/** The effect of one module. */
export interface LoggedStep {
  readonly module: string;
  readonly effect: Effect;
  readonly ms: number;
  readonly facts: Attributes;
  /** What it saved; negative if it cost more. Omitted if zero. */
  readonly savedNanoUsd?: NanoUsd;
}

/** A filter for calls; undefined conditions match all. */
export interface LogFilter {
  /** The first millisecond, and the first one excluded. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** The requested or the used model. */
  readonly model?: string | undefined;
  /** Null for calls that reached none. */
  readonly provider?: string | null | undefined;
  readonly keyId?: string | undefined;
  /** Any of them. */
  readonly keyIds?: readonly string[] | undefined;
  readonly client?: string | undefined;
  readonly conversation?: string | undefined;
  /** A conversation and those of its subagents; not combined with other conditions but the time. */
  readonly session?: string | undefined;
  readonly endUser?: string | undefined;
  /** All of them. */
  readonly tags?: Tags | undefined;
  readonly ending?: Ending['how'] | undefined;
  /** A range of statuses; or all failures, including those in the middle of a stream. */
  readonly status?: StatusFilter | undefined;
  /** The client's format; that of calls of tools is `mcp`. */
  readonly wire?: string | undefined;
  /** A module that did more than pass the call on. */
  readonly module?: string | undefined;
  /** An effect of the given module, or of any. */
  readonly effect?: Effect | undefined;
  /** A part of a model's name or of an error, or the prefix of an id. */
  readonly search?: string | undefined;
}

type StatusFilter = 'error' | { readonly least: number; readonly greatest: number };

/** The largest first. */
export type LogSort = 'cost' | 'duration' | 'tokens';

export interface LogQuery {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  readonly filter: LogFilter;
  /** Calls before or after this id; the newest if undefined. */
  readonly beside?: { readonly id: string; readonly side: 'older' | 'newer' } | undefined;
  /** Without `beside`: there is one page. */
  readonly sort?: LogSort | undefined;
  readonly limit: number;
}

export interface LogPage {
  /** The newest first, unless they are sorted. */
  readonly calls: readonly LoggedCall[];
  /** Whether there may be more on that side; if sorted, whether older calls were left out. */
  readonly more: boolean;
  /** The cursor to continue from, or the oldest sorted call; undefined if nothing was found and nothing is left. */
  readonly reached: string | undefined;
}

/** A time range; both ends are starts of steps, or later than all calls. */
export interface LogSumsQuery {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

export interface CallSums {
  readonly requests: number;
  /** Without cache reads and cache writes. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costNanoUsd: NanoUsd;
  readonly savedNanoUsd: NanoUsd;
}

/** The sums of calls of one kind over the whole time. */
export interface KindSums extends CallSums {
  readonly keyId: string | null;
  readonly provider: string | null;
  /** The used model, or the requested one if none was used. */
  readonly model: string;
  readonly status: number;
  readonly ending: string;
  readonly errorCode: string | null;
  readonly providerError: string | null;
  readonly isFailed: boolean;
  /** Whether a module answered. */
  readonly isCached: boolean;
}

/** The sums of one step. */
export interface IntervalSums extends CallSums {
  /** Starts at 0. */
  readonly step: number;
  readonly model: string;
  readonly isFailed: boolean;
  readonly isCached: boolean;
}

/** A histogram of durations: `bin` is an eighth of a natural logarithm, of microseconds. */
interface BinSums {
  readonly bin: number;
  readonly requests: number;
}

export interface IntervalTimes extends BinSums {
  readonly what: 'content' | 'overhead';
  readonly step: number;
}

/** Time to the first content. */
export interface ModelTimes extends BinSums {
  readonly provider: string;
  readonly model: string;
}

/** The time that modules take in calls. */
export interface ModuleTimes extends BinSums {
  readonly module: string;
}

export interface ModuleSums {
  readonly module: string;
  readonly effect: string;
  readonly requests: number;
  readonly ownUs: number;
  readonly savedNanoUsd: NanoUsd;
}

/** Selects the failed calls among those of a filter. */
export interface LogErrorsQuery extends LogSumsQuery {
  readonly filter: SummedFilter;
}

/** The conditions that sums can tell; `search` must not be the prefix of an id. */
type SummedFilter = Pick<
  LogFilter,
  'model' | 'provider' | 'keyId' | 'keyIds' | 'client' | 'ending' | 'status' | 'module' | 'effect' | 'search'
>;

/** The failed calls of one step with the same cause. */
export interface ErrorSums
  extends Pick<KindSums, 'provider' | 'status' | 'ending' | 'errorCode' | 'providerError' | 'requests'> {
  /** Starts at 0. */
  readonly step: number;
}

/** A quarter of an hour, an hour or a day in UTC. */
export interface SumsSpan {
  readonly startMs: number;
  readonly ms: number;
}

/** How the calls are divided by time, where the database can drop them that way. */
export interface PartitionPlan {
  readonly nowMs: number;
  /** The start of a span; calls before it are expired. */
  readonly keptFromMs: number;
  /** The length of a partition. */
  readonly spanMs: number;
}

/** Exact for whole minutes, quarters of an hour, hours or days, depending on age, for any number of calls. */
export interface LogSums {
  readonly kinds: readonly KindSums[];
  readonly steps: readonly IntervalSums[];
  readonly stepTimes: readonly IntervalTimes[];
  readonly modelTimes: readonly ModelTimes[];
  readonly modules: readonly ModuleSums[];
  readonly moduleTimes: readonly ModuleTimes[];
}

/** The sums of a conversation, including those of its subagents. */
export interface ConversationSums extends CallSums {
  readonly accountId: string;
  readonly conversation: string;
  readonly failed: number;
  /** When the first call arrived and the last one ended. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of the first call that has one. */
  readonly keyId: string | null;
  readonly client: string | null;
  readonly endUser: string | null;
  /** In the order of their first calls. */
  readonly models: readonly string[];
}

export interface ConversationsQuery {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  /** Conversations whose last call ended in this time: the first millisecond, and the first one excluded. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly keyId?: string | undefined;
  readonly client?: string | undefined;
  readonly endUser?: string | undefined;
  /** The beginning of a name. */
  readonly search?: string | undefined;
  /** Conversations that follow this one; the newest if undefined. */
  readonly after?: ConversationPosition | undefined;
  readonly limit: number;
}

export interface ConversationPosition {
  readonly lastMs: number;
  readonly conversation: string;
}

export interface ConversationsPage {
  /** Those with the newest last call first. */
  readonly conversations: readonly ConversationSums[];
  /** Where to continue; undefined if there are no more. */
  readonly next: ConversationPosition | undefined;
}

/** Reads sums of conversations. */
export type ConversationReader = Pick<RequestLog, 'conversations' | 'conversation'>;

/** Selects end users of these times, in whole UTC days. */
export interface EndUsersQuery {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

export interface EndUserSums extends CallSums {
  readonly endUser: string;
  readonly failed: number;
}

/** Reads logged calls. */
export type LogReader = Pick<RequestLog, 'page' | 'sums' | 'find'>;

/** Stores calls for a limited time, up to a limited number. */
export interface RequestLog {
  /** How many calls to store together. */
  readonly rowsAtOnce: number;
  /** All or none. Keeps existing calls. */
  add(calls: readonly LoggedCall[]): Promise<void>;
  /** Serializes calls into one line, for buffers and files. */
  pack(calls: readonly LoggedCall[]): string;
  /** A line of `pack`, also one of the previous release, in the form of this release; undefined if it is incomplete. */
  readPack(line: string): string | undefined;
  /** Like `add`. */
  addPacked(packs: readonly string[]): Promise<void>;
  /** Limits the search time for rare calls: a page may have fewer than `limit` and still report more. */
  page(query: LogQuery): Promise<LogPage>;
  /** The sums of calls, including those deleted because of the maximum number. */
  sums(query: LogSumsQuery): Promise<LogSums>;
  /** The sums of failed calls by cause. */
  errors(query: LogErrorsQuery): Promise<readonly ErrorSums[]>;
  /** The end users with the highest cost, the highest first; those of two accounts are two. */
  endUsers(query: EndUsersQuery): Promise<readonly EndUserSums[]>;
  /** The earliest time with sums of this resolution; undefined if there are none. */
  oldestSums(resolution: 'by-minute' | 'folded'): Promise<number | undefined>;
  /** Merges the minutes of this span. */
  foldMinutes(span: SumsSpan): Promise<void>;
  /** Merges shorter merged spans of this one. */
  foldSums(span: SumsSpan): Promise<void>;
  /** Corrects the totals of a UTC day where an older build or an import has added to its sums. */
  totalDay(startMs: number): Promise<void>;
  /** Deletes the sums of the oldest minute or hour before this time; false if there are none. */
  forgetSums(beforeMs: number): Promise<boolean>;
  /** Deletes unused names. */
  forgetKinds(): Promise<void>;
  /** Limits the search: a page may have fewer than `limit` and still report more. */
  conversations(query: ConversationsQuery): Promise<ConversationsPage>;
  /** Undefined if there is none, or none of this account. */
  conversation(name: string, accountId: string | undefined): Promise<ConversationSums | undefined>;
  /** Undefined if there is none, or none of this account. */
  find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined>;
  /** Drops partitions whose calls are expired and creates those of the next spans; deletes expired conversations; shrinks a file with much free space. */
  maintain(plan: PartitionPlan): Promise<void>;
  /** The newest call that is not among the `count` newest; undefined if there are no more. */
  newestBehind(count: number): Promise<string | undefined>;
  /** Deletes the oldest calls up to this id, `most` at a time; resolves to the number deleted. */
  forget(upToId: string, most: number): Promise<number>;
  /** Acquires the cleanup lease; false while another process has it. */
  acquireCleanupLease(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
}
