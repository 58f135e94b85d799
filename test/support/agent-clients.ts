import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import {
  type BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  ConverseStreamCommand,
  type Message,
} from '@aws-sdk/client-bedrock-runtime';
import { type Content, GoogleGenAI, type Part } from '@google/genai';
import OpenAI from 'openai';
import { levelOf, toolTurns } from './agent-providers.ts';

/** An agent made of a vendor's SDK: asks, does what it is asked to, and asks again until it is told no more. */
export interface AgentClient {
  readonly name: string;
  /** Streamed or whole, or by turns where that isn't said; resolves to what it was told last. */
  drive(model: string, streamed?: boolean): Promise<string>;
}

const question = 'How high are the rivers?';
const schema = {
  type: 'object',
  properties: { river: { type: 'string' }, turn: { type: 'number' } },
} as const;

/** One for each format that clients are served in. */
export function agentClients(url: string, headers: Record<string, string> = {}): readonly AgentClient[] {
  const openai = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: 'any',
    maxRetries: 0,
    defaultHeaders: headers,
  });
  return [
    messagesClient(new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0, defaultHeaders: headers })),
    chatClient(openai),
    responsesClient(openai),
    geminiClient(new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: url, headers } })),
  ];
}

/** Every other turn, unless all are meant or none. */
function isStreamed(turn: number, streamed: boolean | undefined): boolean {
  assert.ok(turn <= toolTurns, 'the model has more to do than it should');
  return streamed ?? turn % 2 === 0;
}

export function messagesClient(sdk: Anthropic): AgentClient {
  return {
    name: 'Messages',
    async drive(model, streamed) {
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
      const tools = [{ name: 'level', input_schema: schema }];
      for (let turn = 0; ; turn++) {
        const body = { model, max_tokens: 500, messages, tools };
        const { content, stop_reason } = isStreamed(turn, streamed)
          ? await sdk.messages.stream(body).finalMessage()
          : await sdk.messages.create(body);
        if (stop_reason !== 'tool_use')
          return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
        const uses = content.filter((block) => block.type === 'tool_use');
        const results = uses.map(({ id, input }) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: levelOf(input),
        }));
        messages.push({ role: 'assistant', content }, { role: 'user', content: results });
      }
    },
  };
}

export function chatClient(sdk: OpenAI): AgentClient {
  return {
    name: 'Chat Completions',
    async drive(model, streamed) {
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
      const tools = [{ type: 'function' as const, function: { name: 'level', parameters: schema } }];
      for (let turn = 0; ; turn++) {
        const body = { model, messages, tools };
        const { choices } = isStreamed(turn, streamed)
          ? await sdk.chat.completions.stream(body).finalChatCompletion()
          : await sdk.chat.completions.create(body);
        const message = choices[0]?.message;
        if (message === undefined || choices[0]?.finish_reason !== 'tool_calls')
          return message?.content ?? '';
        messages.push(message);
        for (const call of message.tool_calls ?? [])
          if (call.type === 'function')
            messages.push({
              role: 'tool',
              tool_call_id: call.id,
              content: levelOf(JSON.parse(call.function.arguments)),
            });
      }
    },
  };
}

export function responsesClient(sdk: OpenAI): AgentClient {
  return {
    name: 'Responses',
    async drive(model, streamed) {
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: question }];
      const tools = [{ type: 'function' as const, name: 'level', parameters: schema, strict: false }];
      const include = ['reasoning.encrypted_content' as const];
      for (let turn = 0; ; turn++) {
        const body = { model, input, tools, include, store: false };
        const response: OpenAI.Responses.Response = isStreamed(turn, streamed)
          ? await sdk.responses.stream(body).finalResponse()
          : await sdk.responses.create(body);
        const calls = response.output.filter((item) => item.type === 'function_call');
        if (calls.length === 0) return response.output_text;
        const said = response.output.filter(
          (item) => item.type === 'reasoning' || item.type === 'message' || item.type === 'function_call',
        );
        const results = calls.map(({ call_id, arguments: json }) => ({
          type: 'function_call_output' as const,
          call_id,
          output: levelOf(JSON.parse(json)),
        }));
        input.push(...said, ...results);
      }
    },
  };
}

export function geminiClient(sdk: GoogleGenAI): AgentClient {
  return {
    name: 'Gemini',
    async drive(model, streamed) {
      const contents: Content[] = [{ role: 'user', parts: [{ text: question }] }];
      const functionDeclarations = [{ name: 'level', parametersJsonSchema: schema }];
      for (let turn = 0; ; turn++) {
        const body = { model, contents, config: { tools: [{ functionDeclarations }] } };
        const answers = isStreamed(turn, streamed)
          ? await sdk.models.generateContentStream(body)
          : [await sdk.models.generateContent(body)];
        const parts: Part[] = [];
        for await (const { candidates } of answers) parts.push(...(candidates?.[0]?.content?.parts ?? []));
        const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
        if (calls.length === 0) return parts.map(({ text }) => text).join('');
        const results = calls.map(({ id, name = '', args }) => ({
          functionResponse: { ...(id !== undefined && { id }), name, response: { output: levelOf(args) } },
        }));
        contents.push({ role: 'model', parts }, { role: 'user', parts: results });
      }
    },
  };
}

/** Only for what stands for Amazon: nobody is served in this format. */
export function converseClient(sdk: BedrockRuntimeClient): AgentClient {
  return {
    name: 'Converse',
    async drive(modelId, streamed) {
      const messages: Message[] = [{ role: 'user', content: [{ text: question }] }];
      const json = { type: 'object', properties: { river: { type: 'string' }, turn: { type: 'number' } } };
      const toolConfig = { tools: [{ toolSpec: { name: 'level', inputSchema: { json } } }] };
      for (let turn = 0; ; turn++) {
        const asked = { modelId, messages, toolConfig };
        const content = isStreamed(turn, streamed)
          ? await streamedContent(sdk, asked)
          : ((await sdk.send(new ConverseCommand(asked))).output?.message?.content ?? []);
        const calls = content.flatMap(({ toolUse }) => toolUse ?? []);
        if (calls.length === 0) return content.map(({ text }) => text ?? '').join('');
        const results = calls.map(({ toolUseId, input }) => ({
          toolResult: { toolUseId, content: [{ text: levelOf(input) }] },
        }));
        messages.push({ role: 'assistant', content }, { role: 'user', content: results });
      }
    },
  };
}

async function streamedContent(
  sdk: BedrockRuntimeClient,
  asked: ConstructorParameters<typeof ConverseStreamCommand>[0],
): Promise<ContentBlock[]> {
  const texts = new Map<number, string>();
  const calls = new Map<number, { toolUseId: string | undefined; name: string | undefined; json: string }>();
  const { stream = [] } = await sdk.send(new ConverseStreamCommand(asked));
  for await (const { contentBlockStart, contentBlockDelta } of stream) {
    const { contentBlockIndex = 0, start } = contentBlockStart ?? {};
    if (start?.toolUse !== undefined) {
      const { toolUseId, name } = start.toolUse;
      calls.set(contentBlockIndex, { toolUseId, name, json: '' });
    }
    const { contentBlockIndex: at = 0, delta } = contentBlockDelta ?? {};
    if (delta?.text !== undefined) texts.set(at, (texts.get(at) ?? '') + delta.text);
    const call = calls.get(at);
    if (call !== undefined) call.json += delta?.toolUse?.input ?? '';
  }
  return [
    ...[...texts.values()].map((text) => ({ text })),
    ...[...calls.values()].map(({ toolUseId, name, json }) => ({
      toolUse: { toolUseId, name, input: JSON.parse(json) },
    })),
  ];
}
