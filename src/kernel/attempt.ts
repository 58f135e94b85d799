import type { Usage } from './message.ts';
import type { Bill } from './money.ts';
import type { Target } from './provider.ts';
import type { Ending } from './reply/ending.ts';
import type { Reply } from './reply/reply.ts';

/** One answer that a provider was asked for. What a call cost is what its attempts cost together. */
export interface Attempt {
  readonly target: Target;
  /** The module that asked for it, once more or for itself; undefined where it is the client's own question. */
  readonly askedBy: string | undefined;
  /** Whether it answers a question of a module's own, and not the client's. */
  readonly isModuleCall: boolean;
  /** What it used, as far as it was told, and estimated where it wasn't. */
  readonly usage: Usage;
  /** What it cost; undefined while it is under way, where it cost nothing that is known of, or nobody knows the price. */
  readonly bill: Bill | undefined;
  /** Undefined while it is under way. */
  readonly ending: Ending | undefined;
  /** Whether this is its answer, or was made from it. */
  produced(reply: Reply): boolean;
}

/** Who is told of attempts that are made on their behalf, and who is behind them. */
export interface AttemptObserver {
  readonly outer: AttemptObserver | undefined;
  attemptStarted(attempt: Attempt): void;
  attemptEnded(): void;
}

/** What several attempts used together. */
export function usageOf(attempts: readonly Attempt[]): Usage {
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

/** What several attempts cost together; undefined where there is no bill for any of them. */
export function billOf(attempts: readonly Attempt[]): Bill | undefined {
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
