import { z } from 'zod';
import type { Alias, Aliases } from '../../../calls/aliases/aliases.ts';
import { aliasModule } from '../../../calls/configuration-kinds.ts';
import { limits } from '../../../calls/limits.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { storingRoutes, unauthenticated } from '../configuration-routes.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
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

/** Names that stand for several models. */
export function aliasRoutes(aliases: Aliases): readonly ApiRoute[] {
  const tag = 'Aliases';
  return [
    defineRoute({
      tag,
      access: bySessionOrKey('settings'),
      method: 'GET',
      path: '/v1/aliases',
      summary: 'List the aliases of the account and of the gateway',
      body: noBody,
      responses: { 200: { description: 'The aliases', schema: listInfo }, ...unauthenticated },
      handle: async ({ caller }) => ({
        body: { aliases: (await aliases.list(caller.accountId)).map(describeAlias) },
      }),
    }),
    ...storingRoutes({
      noun: 'aliases',
      tag,
      path: '/v1/aliases/:name',
      module: aliasModule,
      store: aliases,
      describe: describeAlias,
      unknownError: ({ name }) =>
        new GatewayError(
          'not_found',
          `this account has no alias "${name.slice(0, 100)}"; GET /v1/aliases lists them`,
        ),
      body: aliasBody,
      info: aliasInfo,
      put: {
        summary: 'Store an alias',
        errors: {
          400: 'The alias is invalid; the message has all faults',
          409: 'A provider has a model of this name, or the account has too many configurations',
        },
      },
      delete: {
        summary: 'Delete an alias; calls to it are rejected',
        errors: {
          404: 'The account has no such alias',
          409: 'Another alias or the pipeline of an API key names it',
        },
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
