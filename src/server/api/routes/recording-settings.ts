import { z } from 'zod';
import { changeOf } from '../../../audit/change.ts';
import type { LocalSetting } from '../../../calls/local-setting.ts';
import type { RecordingPolicy } from '../../../calls/recordings/recording-policy.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { type RecordingMode, recordingModes } from '../../../kernel/ports/recordings.ts';
import { byPerson, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';

export interface RecordingSettingsParts {
  readonly policy: RecordingPolicy;
  /** Whether the content of recorded calls is exported with their traces. */
  readonly isInTraces: boolean;
  /** Undefined in cloud mode. */
  readonly localMode: LocalSetting<RecordingMode> | undefined;
}

const record = z.enum(recordingModes, 'must be off, sample or all');
const schema = z.strictObject({
  record: record.describe(
    'Which calls are recorded; in cloud mode, those of keys without a mode of their own',
  ),
  source: z
    .enum(['environment', 'stored', 'default'])
    .describe('Whether `WEIR_RECORD` sets it, the user of a local gateway has stored it, or neither'),
  sample_rate: z.number().describe('The share of calls that `sample` records'),
  retention_days: z.number().describe('After so many days a recording is deleted; 0 if nothing is recorded'),
  in_traces: z
    .boolean()
    .describe(
      'Whether the operator exports the content of recorded calls, with their traces, to a collector',
    ),
});
const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};
const dayMs = 86_400_000;

/** What this gateway records. */
export function recordingSettingsRoutes({
  policy,
  isInTraces,
  localMode,
}: RecordingSettingsParts): readonly ApiRoute[] {
  const path = '/v1/recordings/settings';
  const common = { path, tag: 'Recordings', access: byPerson('settings') } as const;
  const describe = async (): Promise<z.infer<typeof schema>> => {
    const chosen = policy.mode === undefined ? await localMode?.current() : undefined;
    return {
      record: policy.mode ?? chosen ?? 'off',
      source: policy.mode !== undefined ? 'environment' : chosen === undefined ? 'default' : 'stored',
      sample_rate: policy.sampleRate,
      retention_days: policy.retentionMs / dayMs,
      in_traces: isInTraces,
    };
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'Get which calls are recorded, and for how long',
      body: noBody,
      responses: { 200: { description: 'The current settings', schema }, ...unauthenticated },
      handle: async () => ({ body: await describe() }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'recordings.changed',
      summary: 'Set which calls of a local gateway are recorded',
      body: jsonBody({ record }),
      responses: {
        200: { description: 'The new settings, effective from the next call on', schema },
        400: { description: 'The body is invalid' },
        ...unauthenticated,
        409: {
          description:
            'The environment decides: in cloud mode, or with `WEIR_RECORD` or `WEIR_RECORD_DAYS=0`',
        },
      },
      async handle({ body }) {
        if (localMode === undefined || policy.mode !== undefined || policy.retentionMs === 0)
          throw new GatewayError('set_by_environment', ruleOf(policy));
        const before = await describe();
        await localMode.put(body.record);
        const after = await describe();
        return { body: after, audit: changeOf(before, after) };
      },
    }),
  ];
}

function ruleOf({ mode, retentionMs }: RecordingPolicy): string {
  if (retentionMs === 0) return 'WEIR_RECORD_DAYS=0 switches recordings off; remove it to decide here';
  if (mode !== undefined) return 'WEIR_RECORD decides which calls are recorded; remove it to decide here';
  return 'in cloud mode each key has a mode of its own: PUT /v1/keys/:id/recording';
}
