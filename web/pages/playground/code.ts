import { type Ask, bodyOf, pathOf } from './formats.ts';

export type Language = 'curl' | 'TypeScript' | 'Python';

interface Asked extends Ask {
  readonly pipeline: string | undefined;
}

/** The same call for elsewhere. The key is named and not told. */
export function codeFor(language: Language, ask: Asked): string {
  const { stream: _, ...body } = bodyOf(ask) as { readonly stream: boolean };
  const base = location.origin;
  const list = ask.pipeline === undefined ? undefined : ask.pipeline === '' ? 'none' : ask.pipeline;
  if (language === 'curl')
    return [
      `curl ${base}${pathOf(ask.format)} \\`,
      `  -H "authorization: Bearer $WEIR_KEY" \\`,
      `  -H 'content-type: application/json' \\`,
      ...(list === undefined ? [] : [`  -H 'x-weir-pipeline: ${list}' \\`]),
      `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    ].join('\n');
  const isAnthropic = ask.format === 'anthropic-messages';
  const method = isAnthropic
    ? 'messages.create'
    : ask.format === 'openai-chat'
      ? 'chat.completions.create'
      : 'responses.create';
  return language === 'Python'
    ? python({ isAnthropic, base, method, body, list })
    : typescript({ isAnthropic, base, method, body, list });
}

interface Written {
  readonly isAnthropic: boolean;
  readonly base: string;
  readonly method: string;
  readonly body: object;
  readonly list: string | undefined;
}

function typescript({ isAnthropic, base, method, body, list }: Written): string {
  const headers = list === undefined ? '' : `, defaultHeaders: { 'x-weir-pipeline': '${list}' }`;
  const client = isAnthropic
    ? `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${base}', authToken: process.env.WEIR_KEY, apiKey: null${headers} });`
    : `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/v1', apiKey: process.env.WEIR_KEY${headers} });`;
  return `${client}
const answer = await client.${method}(${JSON.stringify(body, undefined, 2)});
console.log(answer);`;
}

function python({ isAnthropic, base, method, body, list }: Written): string {
  const headers = list === undefined ? '' : `, default_headers={"x-weir-pipeline": ${JSON.stringify(list)}}`;
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${JSON.stringify(value)},`);
  const client = isAnthropic
    ? `import os, anthropic

client = anthropic.Anthropic(base_url="${base}", auth_token=os.environ["WEIR_KEY"]${headers})`
    : `import os, openai

client = openai.OpenAI(base_url="${base}/v1", api_key=os.environ["WEIR_KEY"]${headers})`;
  return `${client}
answer = client.${method}(
${fields.join('\n')}
)
print(answer)`;
}
