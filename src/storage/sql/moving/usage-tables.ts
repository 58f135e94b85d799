import { day, figure, real, signedFigure, text } from './columns.ts';
import { plainTable } from './plain-table.ts';

export const tokenFigures = {
  input_tokens: figure,
  output_tokens: figure,
  cache_read_tokens: figure,
  cache_write_tokens: figure,
} as const;

const usageSums = { requests: figure, failed: figure, ...tokenFigures, cost_nano_usd: figure } as const;

/** Usage of past days. Quotas and ceilings count elsewhere, and don't move. */
export const usageTables = [
  plainTable({
    table: 'usage_days',
    key: ['day', 'key_id', 'provider', 'model'],
    columns: { day, key_id: text(100), provider: text(200), model: text(500), ...usageSums },
    isBulk: true,
    isSummed: true,
  }),
  plainTable({
    table: 'module_days',
    key: ['day', 'module'],
    columns: {
      ...{ day, module: text(200), calls: figure, saved_nano_usd: signedFigure, spent_nano_usd: figure },
      ...{ with_conversations: figure, with_cost_nano_usd: figure, with_squared_usd: real },
      ...{ without_conversations: figure, without_cost_nano_usd: figure, without_squared_usd: real },
    },
    isBulk: true,
    isSummed: true,
  }),
  plainTable({
    table: 'tag_days',
    key: ['day', 'tag', 'value'],
    columns: { day, tag: text(200), value: text(500), ...usageSums },
    isBulk: true,
    isSummed: true,
  }),
];
