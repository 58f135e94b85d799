import type { Usage } from './message.ts';
import type { Bill } from './money.ts';
import type { Target } from './provider.ts';
import type { Ending } from './reply/ending.ts';
import type { Reply } from './reply/reply.ts';
import type { Step } from './trace.ts';

/** How far an attempt came. Times are of the performance clock; undefined for what did not happen. */
export interface AttemptProgress {
  /** When the request was sent; undefined for a model that answers without a network. */
  sentAtMs: number | undefined;
  /** When the request had a connection. */
  connectedAtMs: number | undefined;
  /** When the head of the response arrived. */
  headAtMs: number | undefined;
  /** The provider's own id of the request, from the head of its response. */
  providerRequestId: string | undefined;
}

/** An attempt as the upstream sees it. */
export interface UpstreamAttempt extends AttemptProgress {
  /** Its span in a distributed trace; created on first use. */
  readonly spanId: string;
}

/** One request to a provider. The cost of a call is the sum of its attempts. */
export interface Attempt extends Readonly<UpstreamAttempt> {
  readonly target: Target;
  /** The module that made the attempt, as a retry or for itself; undefined for the client's own request. */
  readonly askedBy: string | undefined;
  /** Whether the attempt answers a module's own question instead of the client's. */
  readonly isModuleCall: boolean;
  /** The innermost module that the request came through; undefined without modules, and for a module's own question. */
  readonly step: Step | undefined;
  /** The id of the answer at the provider, the model that it names, and why it ended; undefined if not reported. */
  readonly answerId: string | undefined;
  readonly answeredModel: string | undefined;
  readonly stopReason: string | undefined;
  /** The reported usage, with estimates for what is missing. */
  readonly usage: Usage;
  /** The cost; undefined while in flight, or if there is no known cost or price. */
  readonly bill: Bill | undefined;
  /** Undefined while in flight. */
  readonly ending: Ending | undefined;
  readonly startedAtMs: number;
  readonly firstContentAtMs: number | undefined;
  /** Undefined while in flight. */
  readonly endedAtMs: number | undefined;
  /** Whether the reply is this attempt's, or was made from it. */
  produced(reply: Reply): boolean;
}

/** Observes the attempts below a module, and knows the module around it. */
export interface AttemptObserver {
  readonly outer: AttemptObserver | undefined;
  readonly step: Step;
  attemptStarted(attempt: Attempt): void;
  attemptEnded(): void;
}

/** What was spent on something. */
export interface Spent {
  readonly usage: Usage;
  /** Undefined if the cost is unknown. */
  readonly bill: Bill | undefined;
}

/** The total usage of several attempts. */
export function usageOf(attempts: readonly Pick<Spent, 'usage'>[]): Usage {
  const [only] = attempts;
  if (only === undefined || attempts.length === 1) return only?.usage ?? {};
  const sum: Record<string, number> = {};
  for (const { usage } of attempts)
    for (const name of summedFields) {
      const count = usage[name];
      if (typeof count === 'number') sum[name] = (sum[name] ?? 0) + count;
    }
  return sum;
}

const summedFields = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;

/** The total cost of several attempts; undefined if none has a bill. */
export function billOf(attempts: readonly Pick<Spent, 'bill'>[]): Bill | undefined {
  let sum: Bill | undefined;
  for (const { bill } of attempts) {
    if (bill === undefined) continue;
    sum =
      sum === undefined
        ? bill
        : { nanoUsd: sum.nanoUsd + bill.nanoUsd, estimated: sum.estimated || bill.estimated };
  }
  return sum;
}
