import { z } from 'zod';
import type { CallerAuthenticator } from '../../../calls/caller-authenticator.ts';
import type { PipelineSelector } from '../../../calls/pipeline-selector.ts';
import { limits } from '../../../kernel/limits.ts';
import type { Stage } from '../../../kernel/stage.ts';
import { joinedHeaderOf } from '../../../lib/headers.ts';
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
  source: z.enum(['header', 'key', 'environment', 'default']).describe('Where the pipeline was set'),
  pipelineConfig: z.string().nullable(),
  configured: z.array(z.string()).describe('The modules in WEIR_PIPELINE'),
  active,
  override: z.string().nullable().describe('The value of the x-weir-pipeline header'),
  note: z.string(),
  errors: z
    .array(z.string())
    .optional()
    .describe("Errors in the key's pipeline; calls with the key are rejected"),
});

const checkQuery = {
  list: z
    .string()
    .max(limits.pipelineTextMax, `must have at most ${limits.pipelineTextMax} characters`)
    .optional()
    .describe('Module names in order, with their options; the gateway’s own pipeline by default'),
};
const checkedPipeline = z.object({
  fault: z.string().nullable().describe('The errors in the pipeline; null if it is valid'),
  active: active.describe(
    'What a key with this pipeline would run, including protective modules of the environment',
  ),
});

/** Shows and checks pipelines without calling a provider. */
export function pipelineRoutes(
  callerAuthenticator: CallerAuthenticator,
  choice: PipelineSelector,
  version: string,
): readonly ApiRoute[] {
  const settingsOf = (override: string | undefined) => ({
    configured: choice.configured,
    override: override ?? null,
    note: 'Set x-weir-pipeline on a request to run other modules; "none" runs none. Protective modules always run.',
  });
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/pipeline',
      summary: 'Get the modules that a call with these headers would run',
      tag: 'Inference',
      responses: {
        200: { description: 'The active pipeline', schema: activePipeline },
        400: { description: 'The x-weir-pipeline header or a query parameter is invalid' },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ headers, query }) {
        const identity = await callerAuthenticator.identifyCurrent(headers);
        const { pipelineConfig } = identity;
        checkQueryNames({}, query);
        const override = joinedHeaderOf(headers, 'x-weir-pipeline');
        const errors =
          pipelineConfig === null ? [] : await choice.validate(pipelineConfig, identity.accountId);
        if (errors.length > 0)
          return { body: { ...settingsOf(override), source: 'key', pipelineConfig, active: [], errors } };
        const { source, text, pipeline } = await choice.choose(override, identity);
        const active = pipeline.stages.map((stage) => describeStage(stage, version));
        return { body: { ...settingsOf(override), source, pipelineConfig: text, active } };
      },
    },
    defineRoute({
      method: 'GET',
      path: '/v1/pipeline/check',
      summary: 'Check a pipeline',
      tag: 'Inference',
      access: bySessionOrKey,
      query: checkQuery,
      body: noBody,
      responses: {
        200: { description: 'The result of the check', schema: checkedPipeline },
        400: { description: 'A query parameter is invalid' },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ caller: { accountId }, query }) {
        const { list = null } = parseQuery(checkQuery, query);
        const faults = list === null ? [] : await choice.validate(list, accountId);
        const owner = { accountId, pipelineConfig: list, key: undefined };
        const stages = faults.length === 0 ? (await choice.choose(undefined, owner)).pipeline.stages : [];
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
