import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { at } from './at.ts';
import { pieces } from './recorded-messages.ts';

/** What a Chat Completions answer says, made up for tests. */
export interface RecordedCompletion {
  readonly text?: string;
  readonly calls?: readonly RecordedCall[];
  readonly finish: string;
}

interface RecordedCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

export const recordedCompletion: RecordedCompletion = {
  text: 'Water finds its own level – “übrigens” also over a weir. 水',
  finish: 'stop',
};

/** Two calls at once. */
export const parallelToolCalls: RecordedCompletion = {
  calls: [
    { id: 'call_DdmO9pD3xa9XTPNJ32zg2hcA', name: 'level', input: { river: 'Isar' } },
    { id: 'call_9bQwXyZ1LmN2oPqR3sTuVwXy', name: 'level', input: { river: 'Lech', unit: 'm' } },
  ],
  finish: 'tool_calls',
};

export const openaiHeaders: Readonly<Record<string, string>> = {
  'x-request-id': 'req_4f1c0a5b9d3e4c7f8a6b5c4d3e2f1a0b',
  'openai-organization': 'org-example',
  'openai-processing-ms': '412',
  'openai-version': '2020-10-01',
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-remaining-requests': '9999',
};

const usage = {
  prompt_tokens: 19,
  completion_tokens: 21,
  total_tokens: 40,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
} as const;

const head = {
  id: 'chatcmpl-CK5m2Pz8V9wXyQa1bCdEfGhIjKlMn',
  created: 1_757_000_000,
  model: 'gpt-5-mini-2025-08-07',
  service_tier: 'default',
  system_fingerprint: 'fp_51db84afab',
} as const;

/** Says this to any request, streamed where it is asked for a stream. */
export function saysCompletion(completion: RecordedCompletion): (request: SeenRequest) => Script {
  return ({ json }) => {
    const tellsUsage = at(json, 'stream_options', 'include_usage') === true;
    return json.stream === true
      ? { headers: openaiHeaders, chunks: completionFrames(completion, tellsUsage) }
      : { headers: openaiHeaders, body: completionBody(completion) };
  };
}

export function completionBody({ text, calls, finish }: RecordedCompletion): object {
  const tool_calls = calls?.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(tool_calls !== undefined && { tool_calls }),
    refusal: null,
    annotations: [],
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
  return { ...head, object: 'chat.completion', choices, usage };
}

export function completionFrames(
  { text, calls, finish }: RecordedCompletion,
  tellsUsage: boolean,
): readonly string[] {
  const whole = { ...head, object: 'chat.completion.chunk', ...(tellsUsage && { usage: null }) };
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({ ...whole, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  return [
    chunk({ role: 'assistant', content: text === undefined ? null : '', refusal: null }),
    ...pieces(text ?? '').map((content) => chunk({ content })),
    ...(calls ?? []).flatMap(({ id, name, input }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(JSON.stringify(input)).map((part) =>
        chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ]),
    chunk({}, finish),
    ...(tellsUsage ? [data({ ...whole, choices: [], usage })] : []),
    'data: [DONE]\n\n',
  ];
}

/** An error answer with OpenAI's wording. */
export function openaiError(status: number, code: string, headers: Record<string, string> = {}): Script {
  const body = { error: { message: `the provider says ${code}`, type: 'some_error', param: null, code } };
  return { status, headers: { ...openaiHeaders, ...headers }, body };
}

function data(fields: object): string {
  return `data: ${JSON.stringify(fields)}\n\n`;
}
