export type Client = 'curl' | 'claude' | 'codex' | 'anthropic' | 'openai';

export const clients: readonly (readonly [Client, string])[] = [
  ['curl', 'curl'],
  ['claude', 'Claude Code'],
  ['codex', 'Codex'],
  ['anthropic', 'Anthropic SDK'],
  ['openai', 'OpenAI SDK'],
];

interface Gateway {
  /** Its address, without a slash at the end. */
  readonly base: string;
  /** The variable of the environment that what callers are asked for is in; undefined where they are asked for nothing. */
  readonly secret: 'WEIR_KEY' | 'WEIR_LOCAL_TOKEN' | undefined;
}

/** What to paste to make a first call. */
export function commandFor(client: Client, { base, secret }: Gateway): string {
  const key = secret === undefined ? 'local' : `$${secret}`;
  const inCode = secret === undefined ? `'local'` : `process.env.${secret}`;
  switch (client) {
    case 'curl':
      return [
        `curl ${base}/v1/messages \\`,
        ...(secret === undefined ? [] : [`  -H "authorization: Bearer ${key}" \\`]),
        `  -H 'content-type: application/json' \\`,
        `  -d '{"model": "demo-1", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}'`,
      ].join('\n');
    case 'claude':
      return `ANTHROPIC_BASE_URL=${base} ANTHROPIC_AUTH_TOKEN=${key} claude`;
    case 'codex':
      return `# ~/.codex/config.toml, then: WEIR_TOKEN=${key} codex
model = "gpt-5-codex"
model_provider = "weir"

[model_providers.weir]
name = "Weir"
base_url = "${base}/v1"
wire_api = "responses"
env_key = "WEIR_TOKEN"`;
    case 'anthropic':
      return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${base}', authToken: ${inCode}, apiKey: null });
const answer = await client.messages.create({
  model: 'demo-1',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.content);`;
    case 'openai':
      return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/v1', apiKey: ${inCode} });
const answer = await client.chat.completions.create({
  model: 'demo-1',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`;
  }
}
