import { FakeUpstream, type Script, type SeenRequest } from '../../../src/testing/fake-upstream.ts';
import { startTestGateway, type TestGateway } from '../../../src/testing/test-gateway.ts';
import type { Recording } from './recordings.ts';

/** A running gateway with one upstream behind it that answers as recorded. */
export interface Stage {
  readonly weir: TestGateway;
  readonly fake: FakeUpstream;
  close(): Promise<void>;
}

/** A provider that the gateway asks for usage. */
export const asking = 'asking';

/** Providers by name, besides those that have a format of their own. */
const compatible = ['mistral', 'groq', 'cerebras', 'deepseek', 'xai', 'openrouter', 'together'];

export async function startStage(): Promise<Stage> {
  const fake = await FakeUpstream.start();
  const weir = await startTestGateway({
    WEIR_ANTHROPIC_BASE_URL: fake.url,
    WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
    WEIR_RECORDED_BASE_URL: `${fake.url}/v1`,
    [`WEIR_${asking.toUpperCase()}_BASE_URL`]: `${fake.url}/v1`,
    [`WEIR_${asking.toUpperCase()}_STREAM_USAGE`]: 'asked',
    ...Object.fromEntries(
      compatible.flatMap((name) => [
        [`WEIR_${name.toUpperCase()}_BASE_URL`, `${fake.url}/v1`],
        [`${name.toUpperCase()}_API_KEY`, 'sk-recorded'],
      ]),
    ),
    WEIR_GEMINI_BASE_URL: fake.url,
    GEMINI_API_KEY: 'AIza-recorded',
    WEIR_VERTEX_BASE_URL: fake.url,
    VERTEX_API_KEY: JSON.stringify({ token: 'ya29.recorded', project_id: 'recorded' }),
    WEIR_BEDROCK_BASE_URL: fake.url,
    WEIR_BEDROCK_REGIONS: 'eu-central-1',
    BEDROCK_API_KEY: 'bedrock-api-key-recorded',
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

/** The request that the provider got; the gateway may also read an earlier answer that is made in the background. */
export function sentTo({ fake }: Stage): SeenRequest | undefined {
  return fake.requests.find(({ method }) => method === 'POST');
}

/** The shortest answer there is, in the format of the path that was asked. */
export function plainAnswers({ url }: SeenRequest): Script {
  if (url.includes('/messages')) return { body: plain.messages };
  if (url.includes('enerateContent')) return { body: plain.gemini };
  if (url.endsWith('/converse')) return { body: plain.converse };
  if (url.endsWith('/interactions')) return { body: plain.interactions };
  return { body: url.includes('/responses') ? plain.responses : plain.chat };
}

const plain = {
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'any',
    content: [{ type: 'text', text: 'Yes.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  chat: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'any',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Yes.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: 'any',
    responseId: 'gemini_1',
  },
  interactions: {
    id: 'interaction_1',
    status: 'completed',
    model: 'any',
    steps: [{ type: 'model_output', content: [{ type: 'text', text: 'Yes.' }] }],
    usage: { total_input_tokens: 1, total_output_tokens: 1, total_tokens: 2 },
  },
  converse: {
    output: { message: { role: 'assistant', content: [{ text: 'Yes.' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'any',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  },
};
