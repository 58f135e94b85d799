import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { type HeaderList, headerOf } from '../../kernel/headers.ts';
import { limits } from '../../kernel/limits.ts';
import type { Provider } from '../../kernel/provider.ts';
import type { ListedModel, ModelList } from '../../providers/model-list.ts';
import { anthropicMessages, openaiChat } from '../../wire/index.ts';
import type { Credentials } from '../credentials.ts';
import type { OwnRoute } from '../route.ts';

export interface ModelsParts {
  readonly credentials: Credentials;
  readonly models: ModelList;
  readonly providers: Iterable<Provider>;
  /** Those that can be called without a key on the request. */
  readonly ready: ReadonlySet<Provider>;
}

const anthropicModel = z.object({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string().describe('The epoch: it is not known'),
});

const anthropicPage = z.object({
  data: z.array(anthropicModel),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

const openaiModel = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('0: it is not known'),
  owned_by: z.string(),
});

const openaiList = z.object({ object: z.literal('list'), data: z.array(openaiModel) });

/** The models that a caller has a key for; asks no provider. In Anthropic's words for Anthropic's clients, else OpenAI's. */
export function modelsRoutes({ credentials, models, providers, ready }: ModelsParts): readonly OwnRoute[] {
  const isReached = (provider: Provider, headers: HeaderList) => {
    const target = credentials.find(headers, { provider, model: provider.name });
    return target !== undefined && (target.credential !== undefined || ready.has(provider));
  };
  const refusals = { 401: { description: 'The credential is missing or wrong' } };
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/models',
      summary: 'The models that this caller has a key for',
      tag: 'Inference',
      query: {
        limit: `With anthropic-version: models on a page, 1 to ${pageMax}, else ${pageStandard}`,
        after_id: 'With anthropic-version: the page after this model',
        before_id: 'With anthropic-version: the page before this model',
      },
      answers: {
        200: {
          description: "Anthropic's form where anthropic-version is sent, else OpenAI's",
          schema: z.union([anthropicPage, openaiList]),
        },
        400: { description: 'The query is wrong' },
        ...refusals,
      },
      dialect: dialectOf,
      async handle({ headers, query }) {
        credentials.authenticate(headers);
        const listed: ListedModel[] = [];
        for (const provider of providers)
          if (isReached(provider, headers)) listed.push(...(await models.of(provider)));
        if (speaksAnthropic(headers)) return { body: page(listed, new URLSearchParams(query)) };
        return { body: { object: 'list', data: listed.map(asOpenai) } satisfies z.infer<typeof openaiList> };
      },
    },
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/models/*id',
      summary: 'One model',
      tag: 'Inference',
      answers: {
        200: {
          description: "Anthropic's form where anthropic-version is sent, else OpenAI's",
          schema: z.union([anthropicModel, openaiModel]),
        },
        404: { description: 'This caller has no such model' },
        ...refusals,
      },
      dialect: dialectOf,
      handle({ headers, parameters: { '*': name = '' } }) {
        credentials.authenticate(headers);
        const model = name.length > limits.modelNameMax ? undefined : models.find(name);
        if (model === undefined || !isReached(model.provider, headers)) throw unknownModel(name);
        return { body: speaksAnthropic(headers) ? asAnthropic(model) : asOpenai(model) };
      },
    },
  ];
}

function unknownModel(name: string): GatewayError {
  const why = 'or there is no key for its provider; GET /v1/models lists those there are';
  const asked = name.slice(0, limits.modelNameMax);
  return new GatewayError('model_not_found', `the model "${asked}" is not in the catalogue, ${why}`, {
    param: 'model',
  });
}

function speaksAnthropic(headers: HeaderList): boolean {
  return headerOf(headers, 'anthropic-version') !== undefined;
}

function dialectOf(headers: HeaderList) {
  return speaksAnthropic(headers) ? anthropicMessages : openaiChat;
}

/** Anthropic's own numbers. */
const pageStandard = 20;
const pageMax = 1000;

function page(listed: readonly ListedModel[], query: URLSearchParams): z.infer<typeof anthropicPage> {
  const limit = limitIn(query);
  const after = placeIn(listed, query, 'after_id');
  const before = placeIn(listed, query, 'before_id');
  if (after !== undefined && before !== undefined)
    throw badQuery('before_id', '"after_id" and "before_id" exclude each other');
  const from = before === undefined ? (after ?? -1) + 1 : Math.max(0, before - limit);
  const to = before ?? from + limit;
  const data = listed.slice(from, to).map(asAnthropic);
  return {
    data,
    has_more: before === undefined ? to < listed.length : from > 0,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function limitIn(query: URLSearchParams): number {
  const given = query.get('limit');
  const limit = given === null ? pageStandard : Number(given);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax)
    throw badQuery('limit', `"limit" must be a whole number from 1 to ${pageMax}`);
  return limit;
}

function placeIn(
  listed: readonly ListedModel[],
  query: URLSearchParams,
  name: 'after_id' | 'before_id',
): number | undefined {
  const id = query.get(name);
  if (id === null) return undefined;
  const place = listed.findIndex((model) => model.name === id);
  if (place < 0) throw badQuery(name, `"${name}" must be the id of a model in this list`);
  return place;
}

function badQuery(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param });
}

function asAnthropic({ name, title }: ListedModel): z.infer<typeof anthropicModel> {
  return { type: 'model', id: name, display_name: title, created_at: '1970-01-01T00:00:00Z' };
}

function asOpenai({ name, provider }: ListedModel): z.infer<typeof openaiModel> {
  return { id: name, object: 'model', created: 0, owned_by: provider.name };
}
