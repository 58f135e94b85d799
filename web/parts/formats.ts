export type Format = 'anthropic-messages' | 'openai-chat' | 'openai-responses';

export const formats: readonly (readonly [Format, string])[] = [
  ['anthropic-messages', 'Messages'],
  ['openai-chat', 'Chat Completions'],
  ['openai-responses', 'Responses'],
];

export interface Ask {
  readonly format: Format;
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
}

export function pathOf(format: Format): string {
  if (format === 'anthropic-messages') return '/v1/messages';
  return format === 'openai-chat' ? '/v1/chat/completions' : '/v1/responses';
}

export function bodyOf({ format, model, system, prompt, maxTokens }: Ask): object {
  const said = { role: 'user', content: prompt };
  const isSet = system !== '';
  switch (format) {
    case 'anthropic-messages':
      return { model, max_tokens: maxTokens, stream: true, ...(isSet && { system }), messages: [said] };
    case 'openai-chat':
      return {
        model,
        max_completion_tokens: maxTokens,
        stream: true,
        messages: [...(isSet ? [{ role: 'system', content: system }] : []), said],
      };
    case 'openai-responses':
      return {
        model,
        max_output_tokens: maxTokens,
        stream: true,
        ...(isSet && { instructions: system }),
        input: prompt,
      };
  }
}

interface Frame {
  readonly type?: string;
  readonly delta?: string | { readonly text?: string; readonly thinking?: string };
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly error?: { readonly message?: string } | null;
}

/** The words in one frame of a stream, and what went wrong if something did. */
export function readFrame(format: Format, data: string): { readonly text: string; readonly error?: string } {
  if (data === '[DONE]') return { text: '' };
  const frame = JSON.parse(data) as Frame;
  const error = frame.error?.message;
  if (error !== undefined) return { text: '', error };
  if (format === 'openai-chat') return { text: frame.choices?.[0]?.delta?.content ?? '' };
  if (format === 'openai-responses')
    return {
      text: frame.type === 'response.output_text.delta' && typeof frame.delta === 'string' ? frame.delta : '',
    };
  return { text: typeof frame.delta === 'object' ? (frame.delta.text ?? '') : '' };
}
