import { z } from 'zod';
import type { Callers, Known } from '../../../calls/callers.ts';
import type { Credentials } from '../../../calls/credentials.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { HeaderList } from '../../../kernel/headers.ts';
import { limits } from '../../../kernel/limits.ts';
import type { ModelDialect, NamedModel } from '../../../kernel/model-dialect.ts';
import { checkModelInPath } from '../../../kernel/model-in-path.ts';
import type { Provider } from '../../../kernel/provider.ts';
import type { ListedModel, ModelList } from '../../../providers/model-list.ts';
import type { OwnRoute } from '../route.ts';

export interface ModelsParts {
  readonly callers: Callers;
  readonly credentials: Credentials;
  readonly models: ModelList;
  readonly providers: Iterable<Provider>;
  /** The forms a list can have; the first whose client asks is used. */
  readonly dialects: readonly ModelDialect[];
  /** Those that can be called without a key on the request. */
  readonly ready: ReadonlySet<Provider>;
}

/** The models that a caller has a key for, in the words of the caller's API; asks no provider. */
export function modelsRoutes(parts: ModelsParts): readonly OwnRoute[] {
  const paths = Map.groupBy(parts.dialects, ({ path }) => path);
  return [...paths].flatMap(([path, dialects]) => routesAt(path, { ...parts, dialects }));
}

function routesAt(path: string, parts: ModelsParts): readonly OwnRoute[] {
  const { callers, credentials, models, providers, dialects, ready } = parts;
  const isReached = async (provider: Provider, known: Known, headers: HeaderList) => {
    const found = await credentials.found({ known, headers }, { provider, model: provider.name });
    return found !== undefined && (found.credential !== undefined || ready.has(provider));
  };
  const dialectOf = (headers: HeaderList): ModelDialect => {
    const spoken = dialects.find((dialect) => dialect.spokenBy(headers));
    if (spoken === undefined) throw new Error('no dialect takes what the others leave');
    return spoken;
  };
  const description = "In the form of the API that the caller's headers speak";
  const refusals = { 401: { description: 'The credential is missing or wrong' } };
  return [
    {
      kind: 'own',
      method: 'GET',
      path,
      summary: 'The models that this caller has a key for',
      tag: 'Inference',
      query: Object.assign({}, ...dialects.map((dialect) => dialect.query)),
      answers: {
        200: { description, schema: z.union(dialects.map((dialect) => dialect.listSchema)) },
        400: { description: 'The query is wrong' },
        ...refusals,
      },
      dialect: (headers) => dialectOf(headers).wire,
      async handle({ headers, query }) {
        const known = await callers.identifyCurrent(headers);
        const listed: NamedModel[] = [];
        for (const provider of providers)
          if (await isReached(provider, known, headers))
            listed.push(...(await models.of(provider)).map(named));
        return { body: dialectOf(headers).list(listed, new URLSearchParams(query)) };
      },
    },
    {
      kind: 'own',
      method: 'GET',
      path: `${path}/*id`,
      summary: 'One model',
      tag: 'Inference',
      answers: {
        200: { description, schema: z.union(dialects.map((dialect) => dialect.modelSchema)) },
        400: { description: 'The name of the model is none' },
        404: { description: 'This caller has no such model' },
        ...refusals,
      },
      dialect: (headers) => dialectOf(headers).wire,
      async handle({ headers, parameters: { '*': name = '' } }) {
        const known = await callers.identifyCurrent(headers);
        checkModelInPath(name);
        const model = name.length > limits.modelNameMax ? undefined : models.find(name);
        if (model === undefined || !(await isReached(model.provider, known, headers)))
          throw unknownModel(name);
        return { body: dialectOf(headers).one(named(model)) };
      },
    },
  ];
}

function named({ name, title, provider }: ListedModel): NamedModel {
  return { id: name, title, owner: provider.name };
}

function unknownModel(name: string): GatewayError {
  const why = 'or there is no key for its provider; GET /v1/models lists those there are';
  const asked = name.slice(0, limits.modelNameMax);
  return new GatewayError('model_not_found', `the model "${asked}" is not in the catalogue, ${why}`, {
    param: 'model',
  });
}
