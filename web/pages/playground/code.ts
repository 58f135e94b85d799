import { bodyOf, curl, type Format, type PromptRequest, pathOf } from '../../parts/formats.ts';

export type Language = 'curl' | 'TypeScript' | 'Python';

interface SnippetRequest extends Omit<PromptRequest, 'streamed'> {
  readonly pipeline: string | undefined;
}

/** The same call for elsewhere, in one piece. It names the variable of the key, not the key. */
export function codeFor(language: Language, { pipeline, ...asked }: SnippetRequest): string {
  const ask = { ...asked, streamed: false };
  const list = pipeline === '' ? 'none' : pipeline;
  if (language === 'curl')
    return curl({ path: pathOf(ask), body: bodyOf(ask), pipeline: list, secret: 'WEIR_KEY' });
  const { format } = ask;
  const written = {
    base: location.origin,
    body: format === 'gemini' ? geminiFields(ask) : bodyOf(ask),
    list,
  };
  return language === 'Python' ? python(format, written) : typescript(format, written);
}

interface SnippetParts {
  readonly base: string;
  readonly body: object;
  readonly list: string | undefined;
}

const methods: Readonly<Record<Format, string>> = {
  'anthropic-messages': 'messages.create',
  'openai-chat': 'chat.completions.create',
  'openai-responses': 'responses.create',
  gemini: 'models.generateContent',
};

/** Google's SDKs have names of their own for what is sent. */
function geminiFields({ model, prompt, system, maxTokens }: PromptRequest): object {
  const config = { maxOutputTokens: maxTokens, ...(system !== '' && { systemInstruction: system }) };
  return { model, contents: prompt, config };
}

function typescript(format: Format, { base, body, list }: SnippetParts): string {
  return `${typescriptClient(format, base, list)}
const answer = await client.${methods[format]}(${JSON.stringify(body, undefined, 2)});
console.log(answer);`;
}

function typescriptClient(format: Format, base: string, list: string | undefined): string {
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

function python(format: Format, { base, body, list }: SnippetParts): string {
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${JSON.stringify(value)},`);
  const method = format === 'gemini' ? 'models.generate_content' : methods[format];
  return `${pythonClient(format, base, list)}
answer = client.${method}(
${fields.join('\n')}
)
print(answer)`;
}

function pythonClient(format: Format, base: string, list: string | undefined): string {
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
