import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseBody } from '../../kernel/json/parse-body.ts';
import type { JsonObject } from '../../lib/json.ts';
import { omitUndefined } from '../../wire/json-values.ts';
import type { ModelEntry } from './model-entry.ts';
import { compileSchedule, type DatedPrices } from './price-schedule.ts';

/** Matches all models of a provider without a known price. */
export const anyModel = '*';

type PriceOverride = Pick<ModelEntry, 'prices' | 'contextTokens' | 'outputTokensMax'>;

/** Prices set by the operator, by provider and model. */
export class PriceOverrides {
  readonly #providers = new Map<string, Map<string, PriceOverride>>();

  constructor(overrides: ReadonlyMap<string, PriceOverride>) {
    for (const [name, priceOverride] of overrides) {
      const slash = name.indexOf('/');
      const provider = name.slice(0, slash);
      const models = this.#providers.get(provider) ?? new Map<string, PriceOverride>();
      this.#providers.set(provider, models.set(name.slice(slash + 1), priceOverride));
    }
  }

  static of(listed: ListedPrices): PriceOverrides {
    return new PriceOverrides(
      new Map(Object.entries(listed).map(([name, model]) => [name, toOverride(model)])),
    );
  }

  /** For warnings about unknown provider names. */
  get providers(): readonly string[] {
    return [...this.#providers.keys()];
  }

  find(provider: string, model: string): PriceOverride | undefined {
    return this.#providers.get(provider)?.get(model);
  }

  models(provider: string): readonly string[] {
    return [...(this.#providers.get(provider)?.keys() ?? [])];
  }
}

/** Prices and limits of models as they are written, by name. */
export type ListedPrices = Readonly<Record<string, z.infer<typeof modelSchema>>>;

function readDocument<Value>(
  setting: string,
  schema: z.ZodType<Value>,
  context: z.RefinementCtx,
): Value | undefined {
  const isJson = setting.trimStart().startsWith('{');
  let document: JsonObject;
  try {
    document = parseBody(isJson ? Buffer.from(setting) : readFileSync(setting));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace('the body', 'it') : String(cause);
    context.addIssue(isJson ? why : `${setting}: ${why}`);
    return undefined;
  }
  const read = schema.safeParse(document);
  if (read.success) return read.data;
  for (const issue of read.error.issues)
    context.addIssue({
      code: 'custom',
      message: describeIssue(issue, isJson),
      path: isJson ? issue.path : [],
    });
  return undefined;
}

const usdSchema = z
  .number('must be an amount in US dollars')
  .min(0, 'must be at least 0')
  .max(10_000, 'must be at most 10,000');
const tokenCountSchema = z.int('must be an integer number of tokens').min(1);
const tokenPriceFields = {
  input: usdSchema,
  output: usdSchema,
  cache_read: usdSchema.optional(),
  cache_write: usdSchema.optional(),
  cache_write_1h: usdSchema.optional(),
  audio_input: usdSchema.optional(),
  audio_output: usdSchema.optional(),
  audio_read: usdSchema.optional(),
};
const pricesSchema = z.strictObject({
  ...tokenPriceFields,
  web_search: usdSchema.optional(),
  file_search: usdSchema.optional(),
  request: usdSchema.optional(),
  long_input: z.strictObject({ above: tokenCountSchema, ...tokenPriceFields }).optional(),
  from: z
    .string()
    .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date such as 2026-12-01')
    .optional(),
});
const datedPricesSchema = z.unknown().transform((value, context) => {
  const read = Array.isArray(value)
    ? z.array(pricesSchema).min(1).safeParse(value)
    : pricesSchema.safeParse(value);
  if (read.success) return [read.data].flat();
  for (const { message, path } of read.error.issues) context.addIssue({ code: 'custom', message, path });
  return z.NEVER;
});
const modelSchema = z.strictObject({
  prices: datedPricesSchema,
  factors: z.record(z.string(), z.number().min(0).max(100)).optional(),
  context_tokens: tokenCountSchema.optional(),
  output_tokens_max: tokenCountSchema.optional(),
});
/** Models by their names at one provider. */
export const modelPricesSchema = z.record(z.string().min(1).max(200), modelSchema);
export const priceFileSchema = z.strictObject({
  models: z.record(
    z.string().regex(/^[a-z0-9-]+\/.+$/, 'must be named provider/model, or provider/* for all others'),
    modelSchema,
  ),
});

/** JSON or the path of a JSON file; docs/reference/prices.md describes it. */
export const priceFile = z
  .string()
  .min(1)
  .transform(
    (setting, context): ListedPrices => readDocument(setting, priceFileSchema, context)?.models ?? {},
  );

/** The same for the models of one provider. */
export const modelPrices = z
  .string()
  .transform((setting, context): ListedPrices => readDocument(setting, modelPricesSchema, context) ?? {});

/** Zod nests the issue of an invalid key inside the record's issue. */
function describeIssue(issue: z.core.$ZodIssue, hasPosition: boolean): string {
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? '') : issue.message;
  return hasPosition || issue.path.length === 0
    ? message
    : `${issue.path.map(String).join(' › ')}: ${message}`;
}

function toOverride({
  prices: listed,
  factors,
  context_tokens,
  output_tokens_max,
}: z.infer<typeof modelSchema>) {
  return {
    prices: compileSchedule(listed.map(toDatedPrices), { ...(factors && { factors }), isUniform: true }),
    ...(context_tokens !== undefined && { contextTokens: context_tokens }),
    ...(output_tokens_max !== undefined && { outputTokensMax: output_tokens_max }),
  };
}

function toDatedPrices({ long_input, from, ...flat }: z.infer<typeof pricesSchema>): DatedPrices {
  const { web_search, file_search, request } = flat;
  const pieces = omitUndefined({ webSearch: web_search, fileSearch: file_search, request });
  const sheet = { ...toTokenPrices(flat), ...pieces };
  return {
    ...sheet,
    ...(from !== undefined && { from }),
    ...(long_input !== undefined && {
      longInput: { ...toTokenPrices(long_input), ...pieces, above: long_input.above },
    }),
  };
}

function toTokenPrices(listed: z.infer<z.ZodObject<typeof tokenPriceFields>>) {
  const { input, output, cache_read, cache_write, cache_write_1h } = listed;
  const { audio_input, audio_output, audio_read } = listed;
  return {
    input,
    output,
    ...omitUndefined({
      cacheRead: cache_read,
      cacheWrite: cache_write,
      cacheWriteHour: cache_write_1h,
      audioInput: audio_input,
      audioOutput: audio_output,
      audioRead: audio_read,
    }),
  };
}
