export type Format = 'anthropic-messages' | 'openai-chat' | 'openai-responses' | 'gemini';

export const formats: readonly (readonly [Format, string])[] = [
  ['anthropic-messages', 'Messages'],
  ['openai-chat', 'Chat Completions'],
  ['openai-responses', 'Responses'],
  ['gemini', 'Gemini'],
];

export function isFormat(name: string): name is Format {
  return formats.some(([format]) => format === name);
}

export interface PromptRequest {
  readonly format: Format;
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly streamed: boolean;
}

export function pathOf({
  format,
  model,
  streamed,
}: Pick<PromptRequest, 'format' | 'model' | 'streamed'>): string {
  switch (format) {
    case 'anthropic-messages':
      return '/v1/messages';
    case 'openai-chat':
      return '/v1/chat/completions';
    case 'openai-responses':
      return '/v1/responses';
    case 'gemini': {
      const name = model.split('/').map(encodeURIComponent).join('/');
      return `/v1beta/models/${name}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
    }
  }
}

export function bodyOf({ format, model, system, prompt, maxTokens, streamed }: PromptRequest): object {
  const said = { role: 'user', content: prompt };
  const isSet = system !== '';
  const stream = streamed && { stream: true };
  switch (format) {
    case 'anthropic-messages':
      return { model, max_tokens: maxTokens, ...stream, ...(isSet && { system }), messages: [said] };
    case 'openai-chat':
      return {
        model,
        max_completion_tokens: maxTokens,
        ...stream,
        messages: [...(isSet ? [{ role: 'system', content: system }] : []), said],
      };
    case 'openai-responses':
      return {
        model,
        max_output_tokens: maxTokens,
        ...stream,
        ...(isSet && { instructions: system }),
        input: prompt,
      };
    case 'gemini':
      return {
        ...(isSet && { systemInstruction: { parts: [{ text: system }] } }),
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        generationConfig: { maxOutputTokens: maxTokens },
      };
  }
}

interface Frame {
  readonly type?: string;
  readonly delta?: string | { readonly text?: string; readonly thinking?: string };
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly candidates?: readonly { readonly content?: { readonly parts?: readonly Part[] } }[];
  readonly error?: { readonly message?: string } | null;
}

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
}

/** The words in one frame of a stream, and what went wrong if something did. */
export function readFrame(format: Format, data: string): { readonly text: string; readonly error?: string } {
  if (data === '[DONE]') return { text: '' };
  const frame = JSON.parse(data) as Frame;
  const error = frame.error?.message;
  if (error !== undefined) return { text: '', error };
  switch (format) {
    case 'anthropic-messages':
      return { text: typeof frame.delta === 'object' ? (frame.delta.text ?? '') : '' };
    case 'openai-chat':
      return { text: frame.choices?.[0]?.delta?.content ?? '' };
    case 'openai-responses':
      return {
        text:
          frame.type === 'response.output_text.delta' && typeof frame.delta === 'string' ? frame.delta : '',
      };
    case 'gemini': {
      const parts = frame.candidates?.[0]?.content?.parts ?? [];
      return { text: parts.map(({ text = '', thought }) => (thought === true ? '' : text)).join('') };
    }
  }
}

interface Command {
  readonly path: string;
  readonly body: object;
  /** The list of modules, where it isn't the usual one. */
  readonly pipeline?: string | undefined;
  /** The variable of the environment that has the key, where one is asked for. */
  readonly secret: 'WEIR_KEY' | 'WEIR_LOCAL_TOKEN' | undefined;
}

/** A command that a shell takes as it is, whatever stands in it. */
export function curl({ path, body, pipeline, secret }: Command): string {
  return [
    `curl ${quoted(location.origin + path)} \\`,
    ...(secret === undefined ? [] : [`  -H "authorization: Bearer $${secret}" \\`]),
    `  -H 'content-type: application/json' \\`,
    ...(pipeline === undefined ? [] : [`  -H ${quoted(`x-weir-pipeline: ${pipeline}`)} \\`]),
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n');
}

/** Where nothing in it means anything to a shell, it stays as it is. */
function quoted(text: string): string {
  return /^[\w:/.@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
