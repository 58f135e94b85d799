import { z } from 'zod';
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
        .describe('Whether a request can not remove it where a key or the instance set it'),
      touches: z.array(z.string()).describe('What it may edit'),
      cache: z.boolean().describe('Whether it answers from memory'),
      order: z
        .number()
        .nullable()
        .describe('Where it does best in a list, the lower the earlier; null where it doesn’t matter'),
      options: z.record(z.string(), z.unknown()).describe('JSON Schema of its options'),
    }),
  ),
});

/** The modules that can be in a pipeline here, with all that a form for their options needs. */
export function modulesRoutes(modules: Iterable<Module>): readonly ApiRoute[] {
  const list = [...modules];
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/modules',
      summary: 'The modules of this instance, with their options as JSON Schema',
      tag: 'Information',
      access: 'public',
      responses: {
        200: { description: 'The modules', schema: modulesInfo },
        400: { description: 'The query is wrong' },
      },
      handle({ query }) {
        checkQueryNames({}, query);
        return { body: { modules: list.map(describeModule) } };
      },
    },
  ];
}

function describeModule({ name, status, summary, protective, touches, cache, order, options }: Module) {
  const { $schema, ...schema } = options['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {};
  return {
    ...{ name, status, purpose: summary, protective, touches },
    cache: cache === true,
    order: order ?? null,
    options: schema,
  };
}
