import { z } from 'zod';
import { type Alias, type Aliases, aliasModule } from '../../../calls/aliases/aliases.ts';
import { limits } from '../../../calls/limits.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { type AccountCaller, credentialOf } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonObjectBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';

const options = {
  models: z
    .array(z.string())
    .min(1)
    .max(limits.aliasModelsMax)
    .describe('Names of models and of other aliases, in order; `model:3` has a weight'),
  strategy: z.string().optional().describe('How the router chooses between the models'),
  max_usd: z.union([z.number(), z.string()]).optional().describe('Maximum expected cost of a call'),
};
const aliasBody = z.looseObject(options).describe('Further options of the router can be set, too');
const aliasInfo = z.looseObject({
  name: z.string(),
  source: z.enum(['account', 'gateway']).describe('Whether the account or the operator has set it'),
  ...options,
  expanded: z.array(z.string()).describe('The models that it stands for, with those of aliases in it'),
  shadowed: z.boolean().describe('Whether a provider has a model of this name; calls then go to the model'),
  updatedAt: z.iso.datetime().nullable(),
});
const listInfo = z.strictObject({ aliases: z.array(aliasInfo) });

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };
const forbidden = { 403: { description: 'API keys can read aliases only' } };

/** Names that stand for several models. */
export function aliasRoutes(aliases: Aliases): readonly ApiRoute[] {
  const common = { tag: 'Aliases', access: bySessionOrKey } as const;
  const path = '/v1/aliases/:name';
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/aliases',
      summary: 'List the aliases of the account and of the gateway',
      body: noBody,
      responses: { 200: { description: 'The aliases', schema: listInfo }, ...unauthenticated },
      handle: async ({ caller }) => ({
        body: { aliases: (await aliases.list(caller.accountId)).map(describeAlias) },
      }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      path,
      summary: 'Store an alias',
      body: { ...jsonObjectBody, description: { schema: aliasBody, required: true } },
      responses: {
        200: { description: 'It is in use on all replicas', schema: aliasInfo },
        400: { description: 'The alias is invalid; the message has all faults' },
        409: {
          description: 'A provider has a model of this name, or the account has too many configurations',
        },
        ...unauthenticated,
        ...forbidden,
      },
      async handle({ caller, parameters: { name = '' }, body }) {
        requireSession(caller);
        const alias = await aliases.put({ accountId: caller.accountId, name }, body, credentialOf(caller));
        return { body: describeAlias(alias), audit: { event: 'configuration.stored', ...auditFacts(name) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete an alias; calls to it are rejected',
      body: noBody,
      responses: {
        204: { description: 'It is deleted' },
        404: { description: 'The account has no such alias' },
        409: { description: 'Another alias or the pipeline of an API key names it' },
        ...unauthenticated,
        ...forbidden,
      },
      async handle({ caller, parameters: { name = '' } }) {
        requireSession(caller);
        if (!(await aliases.delete({ accountId: caller.accountId, name })))
          throw new GatewayError(
            'not_found',
            `this account has no alias "${name.slice(0, 100)}"; GET /v1/aliases lists them`,
          );
        return { status: 204, audit: { event: 'configuration.deleted', ...auditFacts(name) } };
      },
    }),
  ];
}

function describeAlias({ name, source, content, models, expanded, isShadowed, updatedAtMs }: Alias) {
  return {
    ...content,
    models,
    ...{ name, source, expanded, shadowed: isShadowed },
    updatedAt: updatedAtMs === undefined ? null : timestamp(updatedAtMs),
  };
}

function auditFacts(name: string) {
  return { configuration: `${aliasModule}:${name}` };
}

/** Someone with a leaked API key must not be able to send the account's calls elsewhere. */
function requireSession({ kind }: AccountCaller): void {
  if (kind === 'key')
    throw new GatewayError('forbidden', 'an API key can only read aliases; use a session token');
}
