import { z } from 'zod';
import { formatUsd, nanoOfPico } from '../../../kernel/money.ts';
import type { LoggedCall } from '../../../kernel/ports/request-log.ts';
import { costParts, type RateCard } from '../../../kernel/rate-card.ts';

const usd = z.string();

export const costPartsSchema = z
  .strictObject({
    input_usd: usd,
    cache_read_usd: usd,
    cache_write_usd: usd,
    output_usd: usd,
    other_usd: usd.describe('Searches and per-request fees'),
  })
  .nullable()
  .describe('The cost by kind of token; null if today’s prices do not add up to the cost of the call');

/** Only the total is stored: today's prices split it, if they still add up to it. */
export function costPartsOf(call: LoggedCall, card: RateCard | undefined): z.output<typeof costPartsSchema> {
  if (card === undefined || call.costNanoUsd === null) return null;
  const parts = costParts(card, {
    input_tokens: call.inputTokens ?? 0,
    output_tokens: call.outputTokens ?? 0,
    cache_read_input_tokens: call.cacheReadTokens ?? 0,
    cache_creation_input_tokens: call.cacheWriteTokens ?? 0,
  });
  const all = Object.values(parts).reduce((sum, part) => sum + part, 0);
  if (nanoOfPico(all) !== call.costNanoUsd) return null;
  const shown = (pico: number) => formatUsd(Math.round(pico / 1000));
  return {
    input_usd: shown(parts.input),
    cache_read_usd: shown(parts.cacheRead),
    cache_write_usd: shown(parts.cacheWrite),
    output_usd: shown(parts.output),
    other_usd: shown(parts.request),
  };
}
