import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { headerOf } from '../../kernel/headers.ts';
import type { ModelDialect, NamedModel } from '../../kernel/model-dialect.ts';
import { anthropicMessages } from './anthropic-messages.ts';

const modelSchema = z.object({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string().describe('The epoch: it is not known'),
});

const listSchema = z.object({
  data: z.array(modelSchema),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

/** Anthropic's own numbers. */
const pageStandard = 20;
const pageMax = 1000;

/** Models as Anthropic's API lists them, page by page. */
export const anthropicModels: ModelDialect = {
  wire: anthropicMessages,
  path: '/v1/models',
  query: {
    limit: `With anthropic-version: models on a page, 1 to ${pageMax}, else ${pageStandard}`,
    after_id: 'With anthropic-version: the page after this model',
    before_id: 'With anthropic-version: the page before this model',
  },
  listSchema,
  modelSchema,
  spokenBy: (headers) => headerOf(headers, 'anthropic-version') !== undefined,
  list: page,
  one,
};

function page(models: readonly NamedModel[], query: URLSearchParams): z.infer<typeof listSchema> {
  const limit = limitIn(query);
  const after = placeIn(models, query, 'after_id');
  const before = placeIn(models, query, 'before_id');
  if (after !== undefined && before !== undefined)
    throw badQuery('before_id', '"after_id" and "before_id" exclude each other');
  const from = before === undefined ? (after ?? -1) + 1 : Math.max(0, before - limit);
  const to = before ?? from + limit;
  const data = models.slice(from, to).map(one);
  return {
    data,
    has_more: before === undefined ? to < models.length : from > 0,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function one({ id, title }: NamedModel): z.infer<typeof modelSchema> {
  return { type: 'model', id, display_name: title, created_at: '1970-01-01T00:00:00Z' };
}

function limitIn(query: URLSearchParams): number {
  const given = query.get('limit');
  const limit = given === null ? pageStandard : Number(given);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax)
    throw badQuery('limit', `"limit" must be a whole number from 1 to ${pageMax}`);
  return limit;
}

function placeIn(
  models: readonly NamedModel[],
  query: URLSearchParams,
  name: 'after_id' | 'before_id',
): number | undefined {
  const id = query.get(name);
  if (id === null) return undefined;
  const place = models.findIndex((model) => model.id === id);
  if (place < 0) throw badQuery(name, `"${name}" must be the id of a model in this list`);
  return place;
}

function badQuery(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param });
}
