import { z } from 'zod';
import { headerOf } from '../../kernel/headers.ts';
import type { Stage } from '../../kernel/pipeline.ts';
import type { Credentials } from '../credentials.ts';
import type { PipelineChoice } from '../pipeline-choice.ts';
import type { OwnRoute } from '../route.ts';

const activePipeline = z.object({
  source: z.enum(['header', 'key', 'environment', 'default']).describe('Where the list was decided'),
  pipelineConfig: z.string().nullable(),
  configured: z.array(z.string()).describe('Modules of the environment level'),
  active: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      status: z.enum(['production', 'preview']),
      purpose: z.string(),
      options: z.record(z.string(), z.unknown()),
    }),
  ),
  override: z.string().nullable().describe('The value of x-weir-pipeline'),
  note: z.string(),
});

/** What a call with these headers would run through; calls no provider. */
export function pipelineRoutes(
  credentials: Credentials,
  choice: PipelineChoice,
  version: string,
): readonly OwnRoute[] {
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/pipeline',
      summary: 'The modules that a call with these headers runs through',
      tag: 'Inference',
      answers: {
        200: { description: 'The active pipeline', schema: activePipeline },
        400: { description: 'The list in x-weir-pipeline is wrong' },
        401: { description: 'The credential is missing or wrong' },
      },
      handle({ headers }) {
        credentials.authenticate(headers);
        const override = headerOf(headers, 'x-weir-pipeline');
        const { source, text, pipeline } = choice.choose(override);
        return {
          body: {
            source,
            pipelineConfig: text,
            configured: choice.base.pipeline.stages.map((stage) => stage.module.name),
            active: pipeline.stages.map((stage) => described(stage, version)),
            override: override ?? null,
            note: 'Set x-weir-pipeline on a request to run other modules; "none" runs none. Protective modules stay.',
          },
        };
      },
    },
  ];
}

function described({ module, options }: Stage, version: string) {
  return {
    name: module.name,
    version: module.version ?? version,
    status: module.status,
    purpose: module.summary,
    options: options ?? {},
  };
}
