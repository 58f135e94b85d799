import type { Chat, ChatFormat } from '../../parts/chat/chat.ts';
import { curl } from '../../parts/formats.ts';

export type Language = 'curl' | 'TypeScript' | 'Python';

export interface CodeRequest {
  /** The address of the gateway. */
  readonly origin: string;
  readonly format: ChatFormat;
  readonly model: string;
  readonly chat: Chat;
  readonly pipeline: string | undefined;
}

/** The same request for elsewhere, in one piece. It names the variable of the key, not the key. */
export function codeFor(language: Language, { origin, format, model, chat, pipeline }: CodeRequest): string {
  const list = pipeline === '' ? 'none' : pipeline;
  const request = { ...chat, model, streamed: true };
  const body = format.body(request);
  if (language === 'curl')
    return curl({ origin, path: format.path(request), body, pipeline: list, secret: 'WEIR_KEY' });
  const sent = format.name === 'gemini' ? geminiFields(model, body) : body;
  const parts = { format: format.name, base: origin, body: sent, list };
  return language === 'Python' ? python(parts) : typescript(parts);
}

interface SnippetParts {
  readonly format: string;
  readonly base: string;
  readonly body: object;
  readonly list: string | undefined;
}

/** Google's SDKs have everything but the contents in one object. */
function geminiFields(model: string, body: object): object {
  const { contents, generationConfig, ...rest } = body as { contents: unknown; generationConfig?: object };
  const config = { ...rest, ...generationConfig };
  return { model, contents, ...(Object.keys(config).length > 0 && { config }) };
}

const methods: Readonly<Record<string, string>> = {
  'anthropic-messages': 'messages.create',
  'openai-chat': 'chat.completions.create',
  'openai-responses': 'responses.create',
  gemini: 'models.generateContentStream',
};

function typescript(parts: SnippetParts): string {
  const { format, body } = parts;
  return `${typescriptClient(parts)}
const stream = await client.${methods[format]}(${JSON.stringify(body, undefined, 2)});
for await (const event of stream) console.log(event);`;
}

function typescriptClient({ format, base, list }: SnippetParts): string {
  const header = `{ 'x-weir-pipeline': ${JSON.stringify(list)} }`;
  const usual = list === undefined ? '' : `, defaultHeaders: ${header}`;
  if (format === 'anthropic-messages')
    return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${base}', authToken: process.env.WEIR_KEY, apiKey: null${usual} });`;
  if (format === 'gemini')
    return `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: process.env.WEIR_KEY,
  httpOptions: { baseUrl: '${base}'${list === undefined ? '' : `, headers: ${header}`} },
});`;
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/v1', apiKey: process.env.WEIR_KEY${usual} });`;
}

function python(parts: SnippetParts): string {
  const { format, body } = parts;
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${pythonLiteral(value, '    ')},`);
  const method = format === 'gemini' ? 'models.generate_content_stream' : methods[format];
  return `${pythonClient(parts)}
stream = client.${method}(
${fields.join('\n')}
)
for event in stream:
    print(event)`;
}

/** JSON is Python but for three words. */
function pythonLiteral(value: unknown, indent = ''): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((item) => `${inner}${pythonLiteral(item, inner)},\n`)
    : Object.entries(value).map(
        ([name, item]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(item, inner)},\n`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.join('')}${indent}${close}`;
}

function pythonClient({ format, base, list }: SnippetParts): string {
  const header = `{"x-weir-pipeline": ${JSON.stringify(list)}}`;
  const usual = list === undefined ? '' : `, default_headers=${header}`;
  if (format === 'anthropic-messages')
    return `import os, anthropic

client = anthropic.Anthropic(base_url="${base}", auth_token=os.environ["WEIR_KEY"]${usual})`;
  if (format === 'gemini')
    return `import os
from google import genai

client = genai.Client(
    api_key=os.environ["WEIR_KEY"],
    http_options={"base_url": "${base}"${list === undefined ? '' : `, "headers": ${header}`}},
)`;
  return `import os, openai

client = openai.OpenAI(base_url="${base}/v1", api_key=os.environ["WEIR_KEY"]${usual})`;
}
