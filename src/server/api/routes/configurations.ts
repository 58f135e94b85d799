import { z } from 'zod';
import type { AccountConfigurations } from '../../../calls/account-configurations.ts';
import { mcpServersKind } from '../../../calls/configuration-kinds.ts';
import { limits } from '../../../calls/limits.ts';
import type { ConfigurationName, ListedConfigurations } from '../../../kernel/configuration.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { StoredConfiguration } from '../../../kernel/ports/configurations.ts';
import { storingRoutes, unauthenticated } from '../configuration-routes.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';

const configurationInfo = z.strictObject({
  module: z.string(),
  name: z.string(),
  source: z.enum(['account', 'gateway']).describe('Whether the account or the operator has set it'),
  content: z.record(z.string(), z.unknown()).nullable().describe('null for those of the gateway'),
  version: z.string().nullable().describe('Different after each change; null for those of the gateway'),
  updatedAt: z.iso.datetime().nullable(),
});
const listInfo = z.strictObject({ configurations: z.array(configurationInfo) });

const unknown = { 404: { description: 'There is no such configuration' } };

export interface ConfigurationRouteParts {
  readonly configurations: AccountConfigurations;
  readonly instance: ListedConfigurations;
}

/** Named configurations of modules, which pipelines refer to as `module:name`. */
export function configurationRoutes({
  configurations,
  instance,
}: ConfigurationRouteParts): readonly ApiRoute[] {
  const common = { tag: 'Configurations', access: bySessionOrKey('settings') } as const;
  const path = '/v1/configurations/:module/:name';
  const listOf = async (accountId: string) => {
    const own = (await configurations.list(accountId))
      .filter(({ module }) => module !== mcpServersKind)
      .map(describeConfiguration);
    const isOwn = (module: string, name: string) =>
      own.some((one) => one.module === module && one.name === name);
    const others = instance.names.filter(({ module, name }) => !isOwn(module, name));
    return [...own, ...others.map(describeInstanceConfiguration)];
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/configurations',
      summary: 'List the configurations that pipelines of the account can name',
      body: noBody,
      responses: { 200: { description: 'The configurations', schema: listInfo }, ...unauthenticated },
      handle: async ({ caller }) => ({ body: { configurations: await listOf(caller.accountId) } }),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a configuration',
      body: noBody,
      responses: {
        200: { description: 'The configuration', schema: configurationInfo },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters }) {
        const { module = '', name = '' } = parameters;
        const found = (await listOf(caller.accountId)).find(
          (one) => one.module === module && one.name === name,
        );
        if (found === undefined) throw unknownError({ module, name });
        return { body: found };
      },
    }),
    ...storingRoutes({
      noun: 'configurations',
      tag: common.tag,
      path,
      store: configurations,
      describe: describeConfiguration,
      unknownError,
      info: configurationInfo,
      put: {
        summary: 'Store a configuration of a module',
        errors: {
          400: 'The content is invalid; the message has all faults',
          404: 'There is no such module',
          409: `The account has ${limits.configurationsMax} configurations, or too large ones`,
        },
      },
      delete: {
        summary: 'Delete a configuration; calls that name it are rejected',
        errors: { 404: unknown[404].description, 409: 'The pipeline of an API key names it' },
      },
    }),
  ];
}

function describeConfiguration({ module, name, content, version, updatedAtMs }: StoredConfiguration) {
  return { module, name, source: 'account', content, version, updatedAt: timestamp(updatedAtMs) };
}

function describeInstanceConfiguration({ module, name }: ConfigurationName) {
  return { module, name, source: 'gateway', content: null, version: null, updatedAt: null };
}

function unknownError({ module, name }: ConfigurationName): GatewayError {
  return new GatewayError(
    'not_found',
    `there is no configuration ${module}:${name} of this account; GET /v1/configurations lists them`,
  );
}
