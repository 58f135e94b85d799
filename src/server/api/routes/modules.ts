import { z } from 'zod';
import { jsonSchemaOf } from '../../../kernel/configuration.ts';
import type { Module } from '../../../kernel/module.ts';
import type { ApiRoute } from '../route.ts';
import { checkQueryNames } from '../validation.ts';

const modulesInfo = z.object({
  modules: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['production', 'preview']),
      purpose: z.string(),
      protective: z
        .boolean()
        .describe('Whether a request cannot remove it if a key or the instance has set it'),
      touches: z.array(z.string()).describe('What it may change'),
      cache: z.boolean().describe('Whether it serves cached answers'),
      order: z
        .number()
        .nullable()
        .describe('The recommended position in a pipeline, lower is earlier; null if it does not matter'),
      options: z.record(z.string(), z.unknown()).describe('JSON Schema of its options'),
      configuration: z
        .record(z.string(), z.unknown())
        .describe('JSON Schema of its configurations: by default that of its options'),
    }),
  ),
});

/** The available modules, with what a form for their options needs. */
export function modulesRoutes(modules: Iterable<Module>): readonly ApiRoute[] {
  const list = [...modules];
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/modules',
      summary: 'List the modules of this instance, with their options as JSON Schema',
      tag: 'Information',
      access: 'public',
      responses: {
        200: { description: 'The modules', schema: modulesInfo },
        400: { description: 'A query parameter is invalid' },
      },
      handle({ query }) {
        checkQueryNames({}, query);
        return { body: { modules: list.map(describeModule) } };
      },
    },
  ];
}

function describeModule(module: Module) {
  const { name, status, summary, protective, touches, cache, order, options } = module;
  return {
    ...{ name, status, purpose: summary, protective, touches },
    cache: cache === true,
    order: order ?? null,
    options: jsonSchemaOf(options),
    configuration: jsonSchemaOf(module.configuration ?? options),
  };
}
