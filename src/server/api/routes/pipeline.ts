import { z } from 'zod';
import type { CallerAuthenticator } from '../../../calls/caller-authenticator.ts';
import type { PipelineSelector } from '../../../calls/pipeline-selector.ts';
import { joinedHeaderOf } from '../../../kernel/headers.ts';
import { limits } from '../../../kernel/limits.ts';
import type { Stage } from '../../../kernel/pipeline.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { checkQueryNames, parseQuery } from '../validation.ts';

const active = z.array(
  z.object({
    name: z.string(),
    version: z.string(),
    status: z.enum(['production', 'preview']),
    purpose: z.string(),
    options: z.record(z.string(), z.unknown()),
  }),
);
const activePipeline = z.object({
  source: z.enum(['header', 'key', 'environment', 'default']).describe('Where the list was decided'),
  pipelineConfig: z.string().nullable(),
  configured: z.array(z.string()).describe('Modules of the environment level'),
  active,
  override: z.string().nullable().describe('The value of x-weir-pipeline'),
  note: z.string(),
  errors: z
    .array(z.string())
    .optional()
    .describe("What is wrong with the key's list; calls with it are refused"),
});

const checkQuery = {
  list: z
    .string()
    .max(limits.pipelineTextMax, `must have at most ${limits.pipelineTextMax} characters`)
    .optional()
    .describe('Names in order, with their options; the gateway’s own list where it is left out'),
};
const checkedPipeline = z.object({
  fault: z.string().nullable().describe('All that is wrong with the list; null where it can run'),
  active: active.describe('What would run as the list of a key, with what the environment protects'),
});

/** What a call with these headers would run through; calls no provider. */
export function pipelineRoutes(
  callerAuthenticator: CallerAuthenticator,
  choice: PipelineSelector,
  version: string,
): readonly ApiRoute[] {
  const told = (override: string | undefined) => ({
    configured: choice.configured,
    override: override ?? null,
    note: 'Set x-weir-pipeline on a request to run other modules; "none" runs none. Protective modules stay.',
  });
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/pipeline',
      summary: 'The modules that a call with these headers runs through',
      tag: 'Inference',
      responses: {
        200: { description: 'The active pipeline', schema: activePipeline },
        400: { description: 'The list in x-weir-pipeline or the query is wrong' },
        401: { description: 'The credential is missing or wrong' },
      },
      async handle({ headers, query }) {
        const { pipelineConfig } = await callerAuthenticator.identifyCurrent(headers);
        checkQueryNames({}, query);
        const override = joinedHeaderOf(headers, 'x-weir-pipeline');
        const errors = pipelineConfig === null ? [] : choice.validate(pipelineConfig);
        if (errors.length > 0)
          return { body: { ...told(override), source: 'key', pipelineConfig, active: [], errors } };
        const { source, text, pipeline } = choice.choose(override, pipelineConfig);
        const active = pipeline.stages.map((stage) => describeStage(stage, version));
        return { body: { ...told(override), source, pipelineConfig: text, active } };
      },
    },
    defineRoute({
      method: 'GET',
      path: '/v1/pipeline/check',
      summary: 'What is wrong with a list of modules, or what it would run',
      tag: 'Inference',
      access: bySessionOrKey,
      query: checkQuery,
      body: noBody,
      responses: {
        200: { description: 'The list, looked at', schema: checkedPipeline },
        400: { description: 'The query is wrong' },
        401: { description: 'No credential that holds' },
      },
      handle({ query }) {
        const { list } = parseQuery(checkQuery, query);
        const faults = list === undefined ? [] : choice.validate(list);
        const stages = faults.length === 0 ? choice.choose(undefined, list ?? null).pipeline.stages : [];
        const fault = faults.length === 0 ? null : faults.join('; ');
        return { body: { fault, active: stages.map((stage) => describeStage(stage, version)) } };
      },
    }),
  ];
}

function describeStage({ module, options }: Stage, version: string) {
  return {
    name: module.name,
    version: module.version ?? version,
    status: module.status,
    purpose: module.summary,
    options: options ?? {},
  };
}
