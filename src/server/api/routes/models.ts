import { z } from 'zod';
import type { CallerAuthenticator, CallerIdentity } from '../../../calls/caller-authenticator.ts';
import type { Credentials } from '../../../calls/credentials.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { HeaderList } from '../../../kernel/headers.ts';
import { limits } from '../../../kernel/limits.ts';
import { checkModelInPath } from '../../../kernel/model-in-path.ts';
import type { ModelListFormat, NamedModel } from '../../../kernel/model-list-format.ts';
import type { Provider } from '../../../kernel/provider.ts';
import type { ListedModel, ModelList } from '../../../providers/model-list.ts';
import type { ApiRoute } from '../route.ts';

export interface ModelsParts {
  readonly callers: CallerAuthenticator;
  readonly credentials: Credentials;
  readonly models: ModelList;
  readonly providers: Iterable<Provider>;
  /** The forms a list can have; the first whose client asks is used. */
  readonly dialects: readonly ModelListFormat[];
  /** Those that can be called without a key on the request. */
  readonly readyProviders: ReadonlySet<Provider>;
}

/** The models that a caller has a key for, in the words of the caller's API; asks no provider. */
export function modelsRoutes(parts: ModelsParts): readonly ApiRoute[] {
  const paths = Map.groupBy(parts.dialects, ({ path }) => path);
  return [...paths].flatMap(([path, dialects]) => routesAt(path, { ...parts, dialects }));
}

function routesAt(path: string, parts: ModelsParts): readonly ApiRoute[] {
  const { callers: callerAuthenticator, credentials, models, providers, dialects, readyProviders } = parts;
  const isReached = async (provider: Provider, identity: CallerIdentity, headers: HeaderList) => {
    const found = await credentials.findOptional({ identity, headers }, { provider, model: provider.name });
    return found !== undefined && (found.credential !== undefined || readyProviders.has(provider));
  };
  const dialectOf = (headers: HeaderList): ModelListFormat => {
    const spoken = dialects.find((dialect) => dialect.isSpokenBy(headers));
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
      responses: {
        200: { description, schema: z.union(dialects.map((dialect) => dialect.listSchema)) },
        400: { description: 'The query is wrong' },
        ...refusals,
      },
      errorFormat: (headers) => dialectOf(headers).wire,
      async handle({ headers, query }) {
        const callerIdentity = await callerAuthenticator.identifyCurrent(headers);
        const listed: NamedModel[] = [];
        for (const provider of providers)
          if (await isReached(provider, callerIdentity, headers))
            listed.push(...(await models.forProvider(provider)).map(describeModel));
        return { body: dialectOf(headers).encodeList(listed, new URLSearchParams(query)) };
      },
    },
    {
      kind: 'own',
      method: 'GET',
      path: `${path}/*id`,
      summary: 'One model',
      tag: 'Inference',
      responses: {
        200: { description, schema: z.union(dialects.map((dialect) => dialect.modelSchema)) },
        400: { description: 'The name of the model is none' },
        404: { description: 'This caller has no such model' },
        ...refusals,
      },
      errorFormat: (headers) => dialectOf(headers).wire,
      async handle({ headers, parameters: { '*': name = '' } }) {
        const callerIdentity = await callerAuthenticator.identifyCurrent(headers);
        checkModelInPath(name);
        const model = name.length > limits.modelNameMax ? undefined : models.find(name);
        if (model === undefined || !(await isReached(model.provider, callerIdentity, headers)))
          throw modelNotFoundError(name);
        return { body: dialectOf(headers).encodeModel(describeModel(model)) };
      },
    },
  ];
}

function describeModel({ name, title, provider }: ListedModel): NamedModel {
  return { id: name, title, owner: provider.name };
}

function modelNotFoundError(name: string): GatewayError {
  const why = 'or there is no key for its provider; GET /v1/models lists those there are';
  const asked = name.slice(0, limits.modelNameMax);
  return new GatewayError('model_not_found', `the model "${asked}" is not in the catalogue, ${why}`, {
    param: 'model',
  });
}
