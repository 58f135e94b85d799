import { z } from 'zod';
import type { Alias, Aliases } from '../../../calls/aliases/aliases.ts';
import type { CallerAuthenticator, CallerIdentity } from '../../../calls/caller-authenticator.ts';
import type { Credentials } from '../../../calls/credentials.ts';
import type { OwnProviders } from '../../../calls/own-providers/own-providers.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import type { Provider } from '../../../kernel/provider.ts';
import type { HeaderList } from '../../../lib/headers.ts';
import type { ListedModel, ModelList } from '../../../providers/model-list.ts';
import type { CallerDirectory } from '../../../providers/own/own-directory.ts';
import { checkModelInPath } from '../../../wire/model-in-path.ts';
import type { ModelListFormat, NamedModel } from '../../../wire/model-list-format.ts';
import type { ApiRoute } from '../route.ts';

export interface ModelsParts {
  readonly callers: CallerAuthenticator;
  readonly credentials: Credentials;
  readonly models: ModelList;
  readonly aliases: Pick<Aliases, 'list'>;
  readonly ownProviders: Pick<OwnProviders, 'directoryFor'>;
  /** Response formats of the list; the first that matches the client is used. */
  readonly dialects: readonly ModelListFormat[];
  /** Providers that need no key on the request. */
  readonly readyProviders: ReadonlySet<Provider>;
}

/** The aliases and the models that the caller has a key for, in the format of the caller's API; calls no provider. */
export function modelsRoutes(parts: ModelsParts): readonly ApiRoute[] {
  const paths = Map.groupBy(parts.dialects, ({ path }) => path);
  return [...paths].flatMap(([path, dialects]) => routesAt(path, { ...parts, dialects }));
}

function routesAt(path: string, parts: ModelsParts): readonly ApiRoute[] {
  const { callers: callerAuthenticator, credentials, models, dialects, readyProviders } = parts;
  const { aliases, ownProviders } = parts;
  const isReached = async (provider: Provider, { identity, headers, directory }: ListingCall) => {
    if (identity.access?.allowsProvider(provider.name) === false) return false;
    const target = { provider, model: provider.name };
    const lookup = await credentials.findOptional({ identity, headers, directory }, target);
    if (lookup === undefined) return false;
    const isReady = readyProviders.has(provider) || (provider.ownId !== undefined && provider.keyless);
    return lookup.credential !== undefined || isReady;
  };
  /** Those of the account first, since some clients read the first page only. */
  const reachedProviders = async (call: ListingCall) => {
    const { own, providers } = call.directory;
    const reached = new Set<Provider>();
    for (const provider of [...own, ...providers.values()])
      if (await isReached(provider, call)) reached.add(provider);
    return reached;
  };
  /** Whether the access rules of the caller's key allow the model with this name. */
  const mayUse = ({ identity: { access }, directory }: ListingCall, name: string) => {
    const target = access && directory.find(name);
    return target === undefined || access?.allowsModel(target) !== false;
  };
  /** Those with at least one model that the caller can reach and may use. */
  const listAliases = async (call: ListingCall, reached: ReadonlySet<Provider>) => {
    const { accountId, access } = call.identity;
    const isUsable = ({ name: alias, isShadowed, expanded }: Alias) =>
      !isShadowed &&
      expanded.some((name) => {
        const target = call.directory.find(name);
        const isAllowed = access?.listsModel(alias) === true || mayUse(call, name);
        return target !== undefined && reached.has(target.provider) && isAllowed;
      });
    return (await aliases.list(accountId)).filter(isUsable).map(describeAlias);
  };
  const identify = async (headers: HeaderList, address: string | undefined): Promise<ListingCall> => {
    const identity = await callerAuthenticator.identifyCurrent(headers, address);
    return { identity, headers, directory: await ownProviders.directoryFor(identity) };
  };
  const dialectOf = (headers: HeaderList): ModelListFormat => {
    const matching = dialects.find((dialect) => dialect.isSpokenBy(headers));
    if (matching === undefined) throw new Error('no default dialect for GET /v1/models');
    return matching;
  };
  const description = 'In the format of the API that the request headers indicate';
  const refusals = { 401: { description: 'Missing or invalid credential' } };
  return [
    {
      kind: 'own',
      method: 'GET',
      path,
      summary: 'List the aliases and the models that the caller has a key for',
      tag: 'Inference',
      query: Object.assign({}, ...dialects.map((dialect) => dialect.query)),
      responses: {
        200: { description, schema: z.union(dialects.map((dialect) => dialect.listSchema)) },
        400: { description: 'A query parameter is invalid' },
        ...refusals,
      },
      errorFormat: (headers) => dialectOf(headers).wire,
      async handle({ headers, query, remoteAddress }) {
        const call = await identify(headers, remoteAddress);
        const reached = await reachedProviders(call);
        // First, since some clients read the first page only.
        const listed: NamedModel[] = [...(await listAliases(call, reached))];
        for (const provider of reached)
          for (const model of await models.forProvider(provider, call.directory))
            if (mayUse(call, model.name)) listed.push(describeModel(model));
        return { body: dialectOf(headers).encodeList(listed, new URLSearchParams(query)) };
      },
    },
    {
      kind: 'own',
      method: 'GET',
      path: `${path}/*id`,
      summary: 'Get a model or an alias',
      tag: 'Inference',
      responses: {
        200: { description, schema: z.union(dialects.map((dialect) => dialect.modelSchema)) },
        400: { description: 'The model name is invalid' },
        404: { description: 'The caller has no such model' },
        ...refusals,
      },
      errorFormat: (headers) => dialectOf(headers).wire,
      async handle({ headers, remoteAddress, parameters: { '*': name = '' } }) {
        const call = await identify(headers, remoteAddress);
        checkModelInPath(name);
        if (name.length > limits.modelNameMax) throw modelNotFoundError(name);
        const model = models.find(name, call.directory);
        if (model !== undefined && mayUse(call, name) && (await isReached(model.provider, call)))
          return { body: dialectOf(headers).encodeModel(describeModel(model)) };
        const reached = await reachedProviders(call);
        const alias = (await listAliases(call, reached)).find(({ id }) => id === name);
        if (alias === undefined) throw modelNotFoundError(name);
        return { body: dialectOf(headers).encodeModel(alias) };
      },
    },
  ];
}

/** A caller who lists models, and the names that it can use. */
interface ListingCall {
  readonly identity: CallerIdentity;
  readonly headers: HeaderList;
  readonly directory: CallerDirectory;
}

function describeModel({ name, title, provider }: ListedModel): NamedModel {
  return { id: name, title, owner: provider.name };
}

function describeAlias({ name }: Alias): NamedModel {
  return { id: name, title: name, owner: 'weir' };
}

function modelNotFoundError(name: string): GatewayError {
  const reason = 'or there is no key for its provider; GET /v1/models lists the available models';
  const shownName = name.slice(0, limits.modelNameMax);
  return new GatewayError('model_not_found', `the model "${shownName}" is not in the catalog, ${reason}`, {
    param: 'model',
  });
}
