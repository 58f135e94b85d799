import { FakeUpstream, type Script } from '../../src/testing/fake-upstream.ts';
import { startTestGateway, type TestGateway } from '../../src/testing/test-gateway.ts';
import type { Recording } from './recordings.ts';

/** A running gateway with one upstream behind it that answers as recorded. */
export interface Stage {
  readonly weir: TestGateway;
  readonly fake: FakeUpstream;
  close(): Promise<void>;
}

/** A provider that the gateway asks for usage. */
export const asking = 'asking';

export async function startStage(): Promise<Stage> {
  const fake = await FakeUpstream.start();
  const weir = await startTestGateway({
    WEIR_ANTHROPIC_BASE_URL: fake.url,
    WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
    WEIR_RECORDED_BASE_URL: `${fake.url}/v1`,
    [`WEIR_${asking.toUpperCase()}_BASE_URL`]: `${fake.url}/v1`,
    [`WEIR_${asking.toUpperCase()}_STREAM_USAGE`]: 'asked',
    ANTHROPIC_API_KEY: 'sk-ant-recorded',
    OPENAI_API_KEY: 'sk-recorded',
  });
  return {
    weir,
    fake,
    async close() {
      await weir.close();
      await fake.close();
    },
  };
}

/** Answers the next call with this recording, cut at these places. */
export function play({ fake }: Stage, recording: Recording, cuts: readonly number[] = []): void {
  fake.requests.length = 0;
  const { status, type, bytes } = recording;
  const ends = [...cuts, bytes.length];
  const chunks = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
  const script: Script = { status, headers: { 'content-type': type }, chunks };
  fake.answerWith(script);
}
