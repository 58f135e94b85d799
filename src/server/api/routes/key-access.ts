import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import { changeOf } from '../../../audit/change.ts';
import type { AccessRules } from '../../../kernel/access-rules.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits as kernelLimits } from '../../../kernel/limits.ts';
import type { ApiKey, ApiKeyChanges } from '../../../kernel/ports/records.ts';
import { nearestName } from '../../../lib/nearest-name.ts';
import { Networks } from '../../../lib/networks.ts';
import type { CallerDirectory } from '../../../providers/own/own-directory.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute, inProject } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import { namedProject, projectOfKey, projectQuery } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';

export interface KeyAccessParts {
  readonly keys: AccountApiKeys;
  /** The providers that the account knows. */
  directoryFor(accountId: string): Promise<CallerDirectory>;
  /** The faults of a pipeline list. */
  validatePipeline(list: string, accountId: string): Promise<readonly string[]>;
}

const { accessEntriesMax, accessListCharactersMax, endUserCharactersMax } = limits;

const line = (max: number) =>
  textSchema({ min: 1, max })
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must have no control characters')
    .refine((text) => text.trim() === text, 'must not begin or end with a blank');

const list = (entry: z.ZodType<string>) =>
  z
    .array(entry, 'must be a list or null')
    .max(accessEntriesMax, `must have at most ${accessEntriesMax} entries`)
    .refine(
      (entries) => entries.reduce((sum, { length }) => sum + length, 0) <= accessListCharactersMax,
      `must have at most ${accessListCharactersMax} characters together`,
    )
    .nullable();

const network = line(50).refine(
  (text) => Networks.parse([text]) !== undefined,
  'must be an address or a network such as 203.0.113.0/24 or 2001:db8::/32',
);

const fields = {
  models: list(line(kernelLimits.modelNameMax)).describe(
    'Patterns of models with `*`, and names of aliases; a pattern with a slash is for `provider/model`, another one for the model’s own name. null allows all',
  ),
  providers: list(line(kernelLimits.modelNameMax)).describe('Names of providers; null allows all'),
  tools: list(line(kernelLimits.modelNameMax)).describe(
    'Patterns of tools and prompts of MCP servers with `*`, such as `github__*`; null allows all, an empty list none',
  ),
  pipelines: list(line(kernelLimits.pipelineTextMax)).describe(
    'The lists that `x-weir-pipeline` may have; null allows all, an empty list none',
  ),
  addresses: list(network).describe('Addresses and networks of clients; null allows all'),
  expires_at: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z, or null' })
    .nullable()
    .describe('When the key stops working; null for never'),
  end_user: line(endUserCharactersMax)
    .nullable()
    .describe('The end user of all calls, whatever they say; null for the one that a call names'),
};
const schema = z.strictObject(fields);
const listSchema = z.strictObject({ keys: z.array(z.strictObject({ id: z.uuid(), ...fields })) });
const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};
const errorResponses = {
  ...unauthenticated,
  404: { description: 'The account has no such key; a revoked one can be read, not changed' },
};

/** What keys may be used for. */
export function keyAccessRoutes({
  keys,
  directoryFor,
  validatePipeline,
}: KeyAccessParts): readonly ApiRoute[] {
  const common = {
    path: '/v1/keys/:id/access',
    tag: 'Keys',
    access: inProject(bySession('keys'), projectOfKey(keys)),
  } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/keys/access',
      access: inProject(bySession('keys'), namedProject),
      query: { project: projectQuery.describe('The id of a project: its keys only') },
      summary: 'List the access rules of all active keys',
      body: noBody,
      responses: {
        200: { description: 'The rules, newest key first', schema: listSchema },
        ...unauthenticated,
      },
      async handle({ caller }) {
        const active = (await keys.list(caller.accountId, caller.projectId)).filter(
          ({ revokedAtMs }) => revokedAtMs === null,
        );
        return { body: { keys: active.map((key) => ({ id: key.id, ...describeAccess(key) })) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'Get the access rules of a key',
      body: noBody,
      responses: { 200: { description: 'The current rules', schema }, ...errorResponses },
      async handle({ caller, parameters: { id = '' } }) {
        return { body: describeAccess(await keys.find(caller.accountId, id)) };
      },
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'key.changed',
      summary: 'Set access rules of a key',
      body: jsonBody({
        models: fields.models.optional(),
        providers: fields.providers.optional(),
        tools: fields.tools.optional(),
        pipelines: fields.pipelines.optional(),
        addresses: fields.addresses.optional(),
        expires_at: fields.expires_at.optional(),
        end_user: fields.end_user.optional(),
      }),
      responses: {
        200: {
          description:
            'All rules of the key, effective from the next call on all replicas; omitted ones stay as they were',
          schema,
        },
        400: { description: 'The body is invalid' },
        ...errorResponses,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        checkProviders(body.providers ?? [], await directoryFor(caller.accountId));
        for (const pipeline of body.pipelines ?? []) {
          const faults = await validatePipeline(pipeline, caller.accountId);
          if (faults.length > 0)
            throw new GatewayError('bad_pipeline', `pipelines: ${faults.join('; ')}`, { param: 'pipelines' });
        }
        const before = await keys.find(caller.accountId, id);
        const key = await keys.change(caller.accountId, id, { access: changesIn(body) });
        return {
          body: describeAccess(key),
          audit: { key: id, ...changeOf(describeAccess(before), describeAccess(key)) },
        };
      },
    }),
  ];
}

type Rules = z.infer<typeof schema>;
type SentRules = { readonly [Name in keyof Rules]?: Rules[Name] | undefined };

function changesIn({ models, providers, tools, pipelines, addresses, expires_at, end_user }: SentRules) {
  const changes: ApiKeyChanges['access'] = {
    models: withoutTwins(models),
    providers: withoutTwins(providers),
    tools: withoutTwins(tools),
    pipelines: withoutTwins(pipelines),
    addresses: withoutTwins(addresses),
    expiresAtMs: typeof expires_at === 'string' ? Date.parse(expires_at) : expires_at,
    endUser: end_user,
  };
  return changes;
}

function withoutTwins(entries: readonly string[] | null | undefined): readonly string[] | null | undefined {
  return entries && [...new Set(entries)];
}

function checkProviders(names: readonly string[], directory: CallerDirectory): void {
  const { providers } = directory;
  const unknown = names.find((name) => !(providers.has(name) || directory.isDisabled(name)));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, providers.keys());
  const hint = nearest === undefined ? 'GET /v1/capabilities lists them' : `did you mean "${nearest}"?`;
  throw new GatewayError(
    'invalid_request',
    `providers: "${unknown}" is no provider of this gateway; ${hint}`,
    {
      param: 'providers',
    },
  );
}

function describeAccess({ access }: ApiKey): Rules {
  const { models, providers, tools, pipelines, addresses, expiresAtMs, endUser }: AccessRules = access ?? {};
  const copy = (entries: readonly string[] | undefined) => (entries === undefined ? null : [...entries]);
  return {
    models: copy(models),
    providers: copy(providers),
    tools: copy(tools),
    pipelines: copy(pipelines),
    addresses: copy(addresses),
    expires_at: expiresAtMs === undefined ? null : timestamp(expiresAtMs),
    end_user: endUser ?? null,
  };
}
