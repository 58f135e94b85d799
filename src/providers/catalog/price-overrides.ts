import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { JsonObject } from '../../kernel/json.ts';
import { parseBody } from '../../kernel/parse-body.ts';
import { defined } from '../../wire/read.ts';
import type { ModelEntry } from './model-entry.ts';
import { compileSchedule, type DatedPrices } from './price-schedule.ts';

/** The name that stands for all models of a provider that nothing else is known of. */
export const anyModel = '*';

type Override = Pick<ModelEntry, 'prices' | 'contextTokens' | 'outputTokensMax'>;

/** Prices that an operator set, by provider and model. */
export class PriceOverrides {
  readonly #providers = new Map<string, Map<string, Override>>();

  constructor(overrides: ReadonlyMap<string, Override>) {
    for (const [name, override] of overrides) {
      const slash = name.indexOf('/');
      const provider = name.slice(0, slash);
      const models = this.#providers.get(provider) ?? new Map<string, Override>();
      this.#providers.set(provider, models.set(name.slice(slash + 1), override));
    }
  }

  /** For who wants to say that a name leads nowhere. */
  get providers(): readonly string[] {
    return [...this.#providers.keys()];
  }

  find(provider: string, model: string): Override | undefined {
    return this.#providers.get(provider)?.get(model);
  }

  models(provider: string): readonly string[] {
    return [...(this.#providers.get(provider)?.keys() ?? [])];
  }
}

/** Lists every fault of the file at once. */
export class PriceFileError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(faults.join('\n'), options);
    this.name = 'PriceFileError';
    this.faults = faults;
  }
}

/** Reads the operator's file of prices; its shape is in docs/prices.md. */
export function readPriceOverrides(path: string): PriceOverrides {
  const read = schema.safeParse(contentOf(path));
  if (!read.success) throw new PriceFileError(read.error.issues.map(faultOf));
  return new PriceOverrides(
    new Map(Object.entries(read.data.models).map(([name, model]) => [name, overrideOf(model)])),
  );
}

function contentOf(path: string): JsonObject {
  try {
    return parseBody(readFileSync(path));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace('the body', 'it') : String(cause);
    throw new PriceFileError([`${path}: ${why}`], { cause });
  }
}

const usd = z
  .number('must be a number of dollars')
  .min(0, 'must not be below 0')
  .max(10_000, 'must not be above 10,000');
const tokens = z.int('must be a whole number of tokens').min(1);
const perToken = {
  input: usd,
  output: usd,
  cache_read: usd.optional(),
  cache_write: usd.optional(),
  cache_write_1h: usd.optional(),
  audio_input: usd.optional(),
  audio_output: usd.optional(),
};
const prices = z.strictObject({
  ...perToken,
  web_search: usd.optional(),
  file_search: usd.optional(),
  request: usd.optional(),
  long_input: z.strictObject({ above: tokens, ...perToken }).optional(),
  from: z
    .string()
    .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date such as 2026-12-01')
    .optional(),
});
const dated = z.unknown().transform((value, context) => {
  const read = Array.isArray(value) ? z.array(prices).min(1).safeParse(value) : prices.safeParse(value);
  if (read.success) return [read.data].flat();
  for (const { message, path } of read.error.issues) context.addIssue({ code: 'custom', message, path });
  return z.NEVER;
});
const model = z.strictObject({
  prices: dated,
  factors: z.record(z.string(), z.number().min(0).max(100)).optional(),
  context_tokens: tokens.optional(),
  output_tokens_max: tokens.optional(),
});
const schema = z.strictObject({
  models: z.record(
    z.string().regex(/^[a-z0-9-]+\/.+$/, 'must be named provider/model, or provider/* for all others'),
    model,
  ),
});

/** What is wrong with a name stands inside of what is wrong with the list. */
function faultOf(issue: z.core.$ZodIssue): string {
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? '') : issue.message;
  return issue.path.length === 0 ? message : `${issue.path.map(String).join(' › ')}: ${message}`;
}

function overrideOf({ prices: listed, factors, context_tokens, output_tokens_max }: z.infer<typeof model>) {
  return {
    prices: compileSchedule(listed.map(datedPrices), factors),
    ...(context_tokens !== undefined && { contextTokens: context_tokens }),
    ...(output_tokens_max !== undefined && { outputTokensMax: output_tokens_max }),
  };
}

function datedPrices({ long_input, from, ...flat }: z.infer<typeof prices>): DatedPrices {
  const { web_search, file_search, request } = flat;
  const pieces = defined({ webSearch: web_search, fileSearch: file_search, request });
  const sheet = { ...tokenPrices(flat), ...pieces };
  return {
    ...sheet,
    ...(from !== undefined && { from }),
    ...(long_input !== undefined && {
      longInput: { ...tokenPrices(long_input), ...pieces, above: long_input.above },
    }),
  };
}

function tokenPrices(listed: z.infer<z.ZodObject<typeof perToken>>) {
  const { input, output, cache_read, cache_write, cache_write_1h, audio_input, audio_output } = listed;
  return {
    input,
    output,
    ...defined({
      cacheRead: cache_read,
      cacheWrite: cache_write,
      cacheWriteHour: cache_write_1h,
      audioInput: audio_input,
      audioOutput: audio_output,
    }),
  };
}
