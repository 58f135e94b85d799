import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { headerOf } from '../../lib/headers.ts';
import type { ModelListFormat, NamedModel } from '../model-list-format.ts';
import { anthropicMessages } from './anthropic-messages.ts';

const modelSchema = z.object({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string().describe('Always the Unix epoch; the real date is unknown'),
});

const listSchema = z.object({
  data: z.array(modelSchema),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

/** Anthropic's own limits. */
const pageSizeDefault = 20;
const pageSizeMax = 1000;

/** Anthropic's paginated model list. */
export const anthropicModels: ModelListFormat = {
  wire: anthropicMessages,
  path: '/v1/models',
  query: {
    limit: `With anthropic-version: page size, 1 to ${pageSizeMax} (default ${pageSizeDefault})`,
    after_id: 'With anthropic-version: return the page after this model id',
    before_id: 'With anthropic-version: return the page before this model id',
  },
  listSchema,
  modelSchema,
  isSpokenBy: (headers) => headerOf(headers, 'anthropic-version') !== undefined,
  encodeList: listPage,
  encodeModel: toListedModel,
};

function listPage(models: readonly NamedModel[], query: URLSearchParams): z.infer<typeof listSchema> {
  const limit = pageLimitOf(query);
  const after = cursorIndexOf(models, query, 'after_id');
  const before = cursorIndexOf(models, query, 'before_id');
  if (after !== undefined && before !== undefined)
    throw invalidQueryError('before_id', '"after_id" and "before_id" cannot be combined');
  const from = before === undefined ? (after ?? -1) + 1 : Math.max(0, before - limit);
  const to = before ?? from + limit;
  const data = models.slice(from, to).map(toListedModel);
  return {
    data,
    has_more: before === undefined ? to < models.length : from > 0,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function toListedModel({ id, title }: NamedModel): z.infer<typeof modelSchema> {
  return { type: 'model', id, display_name: title, created_at: '1970-01-01T00:00:00Z' };
}

function pageLimitOf(query: URLSearchParams): number {
  const value = query.get('limit');
  const limit = value === null ? pageSizeDefault : Number(value);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageSizeMax)
    throw invalidQueryError('limit', `"limit" must be an integer from 1 to ${pageSizeMax}`);
  return limit;
}

function cursorIndexOf(
  models: readonly NamedModel[],
  query: URLSearchParams,
  name: 'after_id' | 'before_id',
): number | undefined {
  const id = query.get(name);
  if (id === null) return undefined;
  const index = models.findIndex((model) => model.id === id);
  if (index < 0) throw invalidQueryError(name, `"${name}" must be the id of a model in this list`);
  return index;
}

function invalidQueryError(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param });
}
