import { at } from './at.ts';

/** One wire format with a small answer in it, made up for tests that must hold for all formats alike. */
export interface TestedFormat {
  readonly name: string;
  /** Of the gateway and of the provider alike. */
  readonly path: string;
  /** The same for a stream, where that is another. */
  readonly streamPath?: string;
  readonly model: string;
  /** How the provider's own name stands before a model. */
  readonly provider: string;
  /** Frames before any content. */
  readonly start: readonly string[];
  /** The frames of some content that says this. */
  content(text: string): string;
  /** Frames after the content. */
  readonly end: readonly string[];
  /** An unstreamed answer that says this. */
  whole(text: string): object;
  /** An error event of the provider. */
  readonly errorEvent: string;
  /** What the gateway says in silence. */
  readonly keepAlive: string;
  /** How a frame with an error of the gateway begins. */
  readonly errorFrameStart: string;
  /** The dialect's names for errors. */
  readonly errorTypes: Readonly<
    Record<400 | 401 | 403 | 404 | 413 | 415 | 421 | 502 | 503 | 504 | 508, string>
  >;
}

/** The one that stands for all where formats make no difference. */
export const messages: TestedFormat = {
  name: 'Messages',
  path: '/v1/messages',
  model: 'claude-sonnet-4-5',
  provider: 'anthropic',
  start: [
    frame('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    }),
    frame('ping', {}),
  ],
  content: (text) =>
    frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }) +
    frame('content_block_stop', { index: 0 }),
  end: [
    frame('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 5 },
    }),
    frame('message_stop', {}),
  ],
  whole: (text) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  errorEvent: frame('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
  errorFrameStart: 'event: error\ndata: {"type":"error","error":{"type":',
  errorTypes: {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    415: 'invalid_request_error',
    421: 'invalid_request_error',
    502: 'api_error',
    503: 'api_error',
    504: 'timeout_error',
    508: 'api_error',
  },
};

const completions: TestedFormat = {
  name: 'Chat Completions',
  path: '/v1/chat/completions',
  model: 'gpt-4o-mini',
  provider: 'openai',
  start: [chunk({ role: 'assistant', content: '' })],
  content: (text) => chunk({ content: text }),
  end: [chunk({}, 'stop'), 'data: [DONE]\n\n'],
  whole: (text) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
  errorEvent:
    'data: {"error":{"message":"The server is overloaded","type":"server_error","param":null,"code":null}}\n\n',
  keepAlive: ': ping\n\n',
  errorFrameStart: 'data: {"type":"error","error":{"type":',
  errorTypes: {
    400: 'invalid_request_error',
    401: 'invalid_request_error',
    403: 'invalid_request_error',
    404: 'invalid_request_error',
    413: 'invalid_request_error',
    415: 'invalid_request_error',
    421: 'invalid_request_error',
    502: 'server_error',
    503: 'server_error',
    504: 'server_error',
    508: 'server_error',
  },
};

const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_760_000_000,
  model: 'gpt-4o-mini',
  output: [],
};

const responses: TestedFormat = {
  ...completions,
  name: 'Responses',
  path: '/v1/responses',
  start: [
    frame('response.created', { response: { ...response, status: 'in_progress' }, sequence_number: 0 }),
    frame('response.in_progress', { response: { ...response, status: 'in_progress' }, sequence_number: 1 }),
  ],
  content: (text) =>
    frame('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: text }),
  end: [
    frame('response.completed', {
      response: {
        ...response,
        status: 'completed',
        output: [{ id: 'msg_1', type: 'message', role: 'assistant', content: [] }],
        usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      },
    }),
  ],
  whole: (text) => ({
    ...response,
    status: 'completed',
    output: [{ id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  }),
  errorEvent: frame('error', { code: 'server_error', message: 'The server is overloaded', param: null }),
  errorFrameStart: 'event: error\ndata: {"type":"error","code":',
};

const gemini: TestedFormat = {
  name: 'Gemini',
  path: '/v1beta/models/gemini-2.5-flash:generateContent',
  streamPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  model: 'gemini-2.5-flash',
  provider: 'gemini',
  start: [piece([])],
  content: (text) => piece([{ text }]),
  end: [piece([{ text: '' }], { finishReason: 'STOP' })],
  whole: (text) => generated([{ text }], { finishReason: 'STOP' }),
  errorEvent:
    'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\r\n\r\n',
  keepAlive: 'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\r\n\r\n',
  errorFrameStart: '{"error":{"code":',
  errorTypes: {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    413: 'INVALID_ARGUMENT',
    415: 'INVALID_ARGUMENT',
    421: 'INVALID_ARGUMENT',
    502: 'UNAVAILABLE',
    503: 'UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
    508: 'INTERNAL',
  },
};

const interaction = { id: 'v1_1', object: 'interaction', model: 'gemini-2.5-flash' };
const interactionUsage = {
  total_input_tokens: 10,
  total_cached_tokens: 0,
  total_output_tokens: 5,
  total_thought_tokens: 0,
  total_tokens: 15,
};

const interactions: TestedFormat = {
  name: 'Interactions',
  path: '/v1beta/interactions',
  model: 'gemini-2.5-flash',
  provider: 'gemini',
  start: [
    step('interaction.created', { interaction: { ...interaction, status: 'in_progress' } }),
    step('interaction.status_update', { interaction_id: 'v1_1', status: 'in_progress' }),
  ],
  content: (text) =>
    step('step.start', { index: 0, step: { type: 'model_output' } }) +
    step('step.delta', { index: 0, delta: { type: 'text', text } }) +
    step('step.stop', { index: 0 }),
  end: [
    step('interaction.completed', {
      interaction: { ...interaction, status: 'completed', usage: interactionUsage },
    }),
    'event: done\ndata: [DONE]\n\n',
  ],
  whole: (text) => ({
    ...interaction,
    status: 'completed',
    steps: [{ type: 'model_output', content: [{ type: 'text', text }] }],
    usage: interactionUsage,
  }),
  errorEvent: step('error', { error: { code: 'unavailable', message: 'The model is overloaded.' } }),
  keepAlive: ': ping\n\n',
  errorFrameStart: 'event: error\ndata: {"event_type":"error","type":"error","error":{"type":',
  errorTypes: {
    400: 'invalid_request',
    401: 'authentication',
    403: 'permission_denied',
    404: 'not_found',
    413: 'invalid_request',
    415: 'invalid_request',
    421: 'invalid_request',
    502: 'unavailable',
    503: 'unavailable',
    504: 'deadline_exceeded',
    508: 'api_error',
  },
};

export const formats: readonly TestedFormat[] = [messages, completions, responses, gemini, interactions];

/** The format of a request, by its path. */
export function formatAt(url = ''): TestedFormat {
  return formats.find(({ path, streamPath }) => url.startsWith(path) || url === streamPath) ?? messages;
}

/** Every format, streamed and not. */
export const framings: readonly {
  readonly format: TestedFormat;
  readonly streamed: boolean;
  readonly manner: string;
}[] = formats.flatMap((format) =>
  [true, false].map((streamed) => ({
    format,
    streamed,
    manner: `${format.name}, ${streamed ? 'streamed' : 'unstreamed'}`,
  })),
);

/** A small call in a format. */
export function requestSentIn(format: TestedFormat, streamed: boolean): { path: string; body: object } {
  return { path: pathOf(format, streamed), body: requestIn(format, streamed) };
}

export function pathOf({ path, streamPath }: TestedFormat, streamed: boolean): string {
  return streamed ? (streamPath ?? path) : path;
}

/** A small request in a format. */
export function requestIn({ model, name }: TestedFormat, streamed: boolean): object {
  if (name === 'Gemini') {
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    return { contents, generationConfig: { maxOutputTokens: 100 } };
  }
  if (name === 'Interactions')
    return { model, input: 'Hello', generation_config: { max_output_tokens: 100 }, stream: streamed };
  const said = [{ role: 'user', content: 'Hello' }];
  return name === 'Responses'
    ? { model, max_output_tokens: 100, stream: streamed, input: said }
    : { model, max_tokens: 100, stream: streamed, messages: said };
}

/** A whole streamed answer. */
export function streamIn({ start, content, end }: TestedFormat, ...texts: readonly string[]): string {
  return [...start, ...texts.map(content), ...end].join('');
}

/** The gateway's own code for an error, wherever the dialect has its place. */
export function errorCodeIn(envelope: unknown): unknown {
  const reason = at(envelope, 'error', 'details', 0, 'reason');
  return typeof reason === 'string' ? reason.toLowerCase() : at(envelope, 'error', 'code');
}

function frame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function step(event_type: string, data: object): string {
  return `event: ${event_type}\ndata: ${JSON.stringify({ ...data, event_type })}\n\n`;
}

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const data = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_760_000_000, choices };
  return `data: ${JSON.stringify({ ...data, model: 'gpt-4o-mini' })}\n\n`;
}

function piece(parts: readonly object[], ending?: object): string {
  return `data: ${JSON.stringify(generated(parts, ending))}\r\n\r\n`;
}

function generated(parts: readonly object[], ending: object = {}): object {
  return {
    candidates: [{ content: { parts, role: 'model' }, ...ending, index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'gemini-2.5-flash',
    responseId: 'gemini_1',
  };
}
