import Anthropic from '@anthropic-ai/sdk';
import { type Content, GoogleGenAI, type Interactions, type Part } from '@google/genai';
import OpenAI from 'openai';

/** The answer that an SDK returned, in any format. */
export interface ClientAnswer {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly json: string }[];
  readonly stop: string | null | undefined;
}

/** A client's side of a format: the vendor's own SDK. */
export interface ClientDialect {
  readonly name: string;
  path(model: string, stream: boolean): string;
  /** Throws what the SDK throws; an answer that says of itself that it failed is thrown as well. */
  ask(asked: { readonly model: string; readonly stream: boolean }): Promise<ClientAnswer>;
}

const tool = { name: 'save', schema: { type: 'object', properties: { note: { type: 'string' } } } as const };

export function clientDialects(url: string): readonly ClientDialect[] {
  const anthropic = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0 });
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
  const google = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: url } });
  return [
    {
      name: 'Messages',
      path: () => '/v1/messages',
      async ask({ model, stream }) {
        const body = {
          model,
          max_tokens: 100,
          messages: [{ role: 'user' as const, content: 'Hello' }],
          tools: [{ name: tool.name, input_schema: tool.schema }],
        };
        const { content, stop_reason } = stream
          ? await anthropic.messages.stream(body).finalMessage()
          : await anthropic.messages.create(body);
        const uses = content.filter((block) => block.type === 'tool_use');
        return {
          text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
          calls: uses.map(({ id, name, input }) => ({ id, name, json: JSON.stringify(input) })),
          stop: stop_reason,
        };
      },
    },
    {
      name: 'Chat Completions',
      path: () => '/v1/chat/completions',
      async ask({ model, stream }) {
        const body = {
          model,
          messages: [{ role: 'user' as const, content: 'Hello' }],
          tools: [{ type: 'function' as const, function: { name: tool.name, parameters: tool.schema } }],
        };
        const { choices } = stream
          ? await openai.chat.completions.stream(body).finalChatCompletion()
          : await openai.chat.completions.create(body);
        const message = choices[0]?.message;
        const calls = (message?.tool_calls ?? []).filter((call) => call.type === 'function');
        return {
          text: message?.content ?? '',
          calls: calls.map(({ id, function: { name, arguments: json } }) => ({ id, name, json })),
          stop: choices[0]?.finish_reason,
        };
      },
    },
    {
      name: 'Responses',
      path: () => '/v1/responses',
      async ask({ model, stream }) {
        const body = {
          model,
          input: 'Hello',
          tools: [{ type: 'function' as const, name: tool.name, parameters: tool.schema, strict: false }],
        };
        const response: OpenAI.Responses.Response = stream
          ? await openai.responses.stream(body).finalResponse()
          : await openai.responses.create(body);
        const { output, output_text, status, error } = response;
        if (status === 'failed')
          throw new OpenAI.APIError(undefined, error ?? undefined, undefined, undefined);
        const calls = output.filter((item) => item.type === 'function_call');
        return {
          text: output_text,
          calls: calls.map(({ call_id, name, arguments: json }) => ({ id: call_id, name, json })),
          stop: status,
        };
      },
    },
    {
      name: 'Gemini',
      path: (model, stream) =>
        `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      async ask({ model, stream }) {
        const functionDeclarations = [{ name: tool.name, parametersJsonSchema: tool.schema }];
        const body = { model, contents: 'Hello', config: { tools: [{ functionDeclarations }] } };
        const parts: Part[] = [];
        let stop: string | undefined;
        const answers = stream
          ? await google.models.generateContentStream(body)
          : [await google.models.generateContent(body)];
        for await (const { candidates } of answers) {
          const content: Content | undefined = candidates?.[0]?.content;
          parts.push(...(content?.parts ?? []));
          stop = candidates?.[0]?.finishReason ?? stop;
        }
        const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
        return {
          text: parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join(''),
          calls: calls.map(({ id = '', name = '', args }) => ({ id, name, json: JSON.stringify(args) })),
          stop,
        };
      },
    },
    {
      name: 'Interactions',
      path: () => '/v1beta/interactions',
      async ask({ model, stream }) {
        const tools = [{ type: 'function' as const, name: tool.name, parameters: tool.schema }];
        const body = { model, input: 'Hello', tools };
        const options = { maxRetries: 0 };
        const { steps, status } = stream
          ? await interactionIn(await google.interactions.create({ ...body, stream }, options))
          : await google.interactions.create(body, options);
        const calls = steps.filter((step) => step.type === 'function_call');
        return {
          text: steps.map((step) => (step.type === 'model_output' ? textOf(step.content) : '')).join(''),
          calls: calls.map(({ id, name, arguments: args }) => ({ id, name, json: JSON.stringify(args) })),
          stop: status,
        };
      },
    },
  ];
}

/** The interaction that a stream tells; throws the error in it. The SDK tells nothing of a stream that breaks off. */
export async function interactionIn(
  events: AsyncIterable<Interactions.InteractionSSEEvent>,
): Promise<Pick<Interactions.Interaction, 'id' | 'status'> & { readonly steps: Interactions.Step[] }> {
  const steps: Interactions.Step[] = [];
  const json: string[] = [];
  let interaction = { id: '', status: '' };
  for await (const event of events) {
    if (event.event_type === 'error') throw new Error(event.error?.message);
    if (event.event_type === 'interaction.completed') interaction = event.interaction;
    if (event.event_type === 'step.start') steps[event.index] = event.step;
    if (event.event_type !== 'step.delta') continue;
    const { delta, index } = event;
    const step = steps[index];
    if (step?.type === 'model_output' && delta.type === 'text')
      step.content = [...(step.content ?? []), { type: 'text', text: delta.text }];
    if (step?.type === 'function_call' && delta.type === 'arguments_delta') {
      json[index] = `${json[index] ?? ''}${delta.arguments}`;
    }
    if (step?.type === 'thought' && delta.type === 'thought_signature') step.signature = delta.signature;
    if (step?.type === 'thought' && delta.type === 'thought_summary' && delta.content?.type === 'text')
      step.summary = [...(step.summary ?? []), delta.content];
  }
  if (interaction.status === '') throw new Error('terminated');
  for (const [index, text] of json.entries()) {
    const step = steps[index];
    if (step?.type === 'function_call' && text !== undefined) step.arguments = JSON.parse(text);
  }
  return { ...interaction, steps };
}

function textOf(content: readonly Interactions.Content[] = []): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
