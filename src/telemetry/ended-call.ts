import type { Attempt, Spent } from '../kernel/attempt.ts';
import type { Usage } from '../kernel/message.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { LoggedTurn } from '../kernel/ports/request-log.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import type { Tags } from '../kernel/tags.ts';
import type { Step } from '../kernel/trace.ts';

/** The data of an ended call. */
export interface EndedCall {
  readonly id: string;
  readonly accountId: string;
  /** Undefined if no key was used. */
  readonly keyId: string | undefined;
  /** The module that made the call; undefined for a client's call. */
  readonly askedBy?: string | undefined;
  /** The part of an agent that made the call, if the client named it. */
  readonly agent?: string | undefined;
  /** The program that made the call; undefined if it does not say. */
  readonly client?: string | undefined;
  readonly conversation?: string | undefined;
  /** The conversation whose agent started this one. */
  readonly parentConversation?: string | undefined;
  /** Undefined if the conversation has no name. */
  readonly turn?: LoggedTurn | undefined;
  /** The pseudonym of the end user. */
  readonly endUser?: string | undefined;
  readonly tags?: Tags;
  readonly modelAsked: string;
  /** Undefined, like the provider, if the target was not resolved. */
  readonly modelUsed: string | undefined;
  readonly provider: string | undefined;
  /** Set if the account has defined the provider: metrics name neither it nor its models. */
  readonly isOwnProvider?: true;
  readonly wire: string;
  /** Undefined if no request was sent to a provider. */
  readonly providerWire: string | undefined;
  readonly streamed: boolean;
  readonly status: number;
  readonly ending: Ending['how'];
  readonly errorCode: string | undefined;
  /** What the provider calls the error. */
  readonly providerError?: string | undefined;
  /** The gateway's own explanation, if it quotes neither the request nor the provider. */
  readonly errorMessage?: string | undefined;
  readonly providerRequestId?: string | undefined;
  readonly stopReason?: string | undefined;
  readonly usage: Usage;
  /** What batches cost whose results the call read; a part of its usage and cost. */
  readonly batches?: Spent | undefined;
  /** Undefined if the cost is unknown. */
  readonly costNanoUsd: NanoUsd | undefined;
  readonly costEstimated: boolean;
  /** The cost of the call without a cache. */
  readonly savedNanoUsd: NanoUsd;
  readonly contentMs: number | undefined;
  readonly totalMs: number;
  readonly overheadMs: number;
  /** When the successful attempt was sent, had a connection, and received the first bytes. */
  readonly leftMs?: number | undefined;
  readonly connectedMs?: number | undefined;
  readonly headMs?: number | undefined;
  /** Names of request fields dropped for the provider, and of headers added to the response. */
  readonly leftOut?: readonly string[];
  readonly headersAdded?: readonly string[];
  readonly pipeline: string;
  readonly steps: readonly Step[];
  /** All attempts of a call that took more than one. */
  readonly attempts?: readonly EndedAttempt[];
}

/** One attempt of a call; times are since the start of the call. */
export interface EndedAttempt {
  readonly attempt: Attempt;
  readonly errorCode: string | undefined;
  readonly startedMs: number;
  readonly leftMs: number | undefined;
  readonly connectedMs: number | undefined;
  readonly headMs: number | undefined;
  readonly contentMs: number | undefined;
  readonly endedMs: number;
}
