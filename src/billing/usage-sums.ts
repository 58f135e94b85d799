import type { Usage } from '../kernel/message.ts';
import type { UsageSums } from '../kernel/ports/records.ts';
import { storableFigure } from '../kernel/storable.ts';

export type WritableSums = { -readonly [Field in keyof UsageSums]: UsageSums[Field] };

interface AddedUsage {
  readonly usage?: Usage | undefined;
  readonly costNanoUsd?: number | undefined;
}

export function addUsage(sum: WritableSums, { usage, costNanoUsd }: AddedUsage): void {
  sum.inputTokens += storableOrZero(usage?.input_tokens);
  sum.outputTokens += storableOrZero(usage?.output_tokens);
  sum.cacheReadTokens += storableOrZero(usage?.cache_read_input_tokens);
  sum.cacheWriteTokens += storableOrZero(usage?.cache_creation_input_tokens);
  sum.costNanoUsd += storableOrZero(costNanoUsd);
}

/** Providers may report anything; sums have to stay integers. */
function storableOrZero(figure: number | undefined): number {
  return storableFigure(figure) ?? 0;
}
