import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { objectOf } from '../../../../src/wire/json-values.ts';
import { callsIn, chatRefusals } from './chat.ts';
import { hasFieldsBeyond, isSet, messagesOf, type Refusal } from './refusal.ts';

/** Groq: "property 'x' is unsupported"; reasoning and compatibility pages. */
export const groqRefusals: readonly Refusal[] = [
  ...chatRefusals,
  fieldsInMessages(['reasoning']),
  fields(['prompt_cache_key', 'logit_bias', 'logprobs', 'top_logprobs', 'top_k', 'thinking', 'metadata']),
  marks(),
  {
    what: 'levels of effort that the model does not know',
    refused: ({ model, reasoning_effort: effort }) =>
      isSet(effort) && !groqEfforts(String(model)).includes(String(effort)),
  },
  {
    what: 'answers by a schema with a model that does not take one',
    models: /^(?!.*(gpt-oss|llama-4|kimi-k2))/,
    refused: ({ response_format }) => objectOf(response_format)?.type === 'json_schema',
  },
];

/** Cerebras: "property 'x' is unsupported"; reasoning page. */
export const cerebrasRefusals: readonly Refusal[] = [
  ...chatRefusals,
  fieldsInMessages(['reasoning']),
  fields(['logit_bias', 'frequency_penalty', 'presence_penalty', 'top_k', 'thinking', 'metadata']),
  marks(),
  {
    what: 'reasoning_effort with a model that does not reason',
    models: /^(llama|qwen-3-(coder|.*instruct))/,
    refused: ({ reasoning_effort }) => isSet(reasoning_effort),
  },
];

/** Mistral: its API forbids what its reference doesn't name ("extra_forbidden"), and orders roles ("invalid_request_message_order"). */
export const mistralRefusals: readonly Refusal[] = [
  ...chatRefusals,
  fieldsInMessages(['prefix']),
  fields([
    'user',
    'stream_options',
    'max_completion_tokens',
    'seed',
    'top_k',
    'thinking',
    'logprobs',
    'store',
    'service_tier',
  ]),
  marks(),
  {
    what: 'ids of calls that are not nine letters and digits',
    refused: (body) => callsIn(body).some(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(String(id))),
  },
  { what: 'a tool right behind a user', refused: (body) => follows(body, 'user', 'tool') },
  {
    what: 'a conversation that ends with the assistant, unless as a prefix',
    refused: (body) => {
      const last = messagesOf(body).at(-1);
      return last?.role === 'assistant' && last.prefix !== true;
    },
  },
  {
    what: 'reasoning_effort with a model that has none',
    models: /^(mistral-large-(latest|2)|ministral|codestral|magistral)/,
    refused: ({ reasoning_effort }) => isSet(reasoning_effort),
  },
];

/** DeepSeek: API reference; "This response_format type is unavailable now". */
export const deepseekRefusals: readonly Refusal[] = [
  ...chatRefusals,
  {
    what: 'answers by a schema',
    refused: ({ response_format }) => objectOf(response_format)?.type === 'json_schema',
  },
  {
    what: 'JSON without the word in a message',
    refused: ({ response_format, messages }) =>
      objectOf(response_format)?.type === 'json_object' && !/json/i.test(JSON.stringify(messages)),
  },
  {
    what: 'a forced tool with deepseek-reasoner',
    models: /reasoner/,
    refused: ({ tool_choice }) => tool_choice === 'required' || isJsonObject(tool_choice),
  },
];

/** xAI: reasoning page. */
export const xaiRefusals: readonly Refusal[] = [
  ...chatRefusals,
  {
    what: 'stop or penalties with a model that reasons',
    models: /^grok-(3-mini|4)(?!.*non-reasoning)/,
    refused: ({ stop, presence_penalty, frequency_penalty }) =>
      Boolean(stop || presence_penalty || frequency_penalty),
  },
  {
    what: 'reasoning_effort with a model that does not take it',
    models: /^grok-(4-0709|4$|4-fast|4-1|code|2|3$|3-fast)/,
    refused: ({ reasoning_effort }) => isSet(reasoning_effort),
  },
  marks(),
];

function fields(names: readonly string[]): Refusal {
  return {
    what: `fields it does not know: ${names.join(', ')}`,
    refused: (body) => names.some((name) => isSet(body[name])),
  };
}

function fieldsInMessages(more: readonly string[]): Refusal {
  const known = new Set(['role', 'content', 'name', 'tool_calls', 'tool_call_id', ...more]);
  const knownInCalls = new Set(['id', 'type', 'function', 'index']);
  return {
    what: 'fields it does not know in messages (reasoning_content, reasoning_details and the like)',
    refused: (body) =>
      messagesOf(body).some((message) => hasFieldsBeyond(message, known)) ||
      callsIn(body).some((call) => hasFieldsBeyond(call, knownInCalls)),
  };
}

function marks(): Refusal {
  return { what: 'cache_control', refused: (body) => JSON.stringify(body).includes('"cache_control":{') };
}

function follows(body: JsonObject, first: string, second: string): boolean {
  return messagesOf(body).some(({ role }, at, all) => role === second && all[at - 1]?.role === first);
}

function groqEfforts(model: string): readonly string[] {
  if (model.includes('gpt-oss')) return ['low', 'medium', 'high'];
  return model.includes('qwen3') || model.includes('qwen-3') ? ['none', 'default'] : [];
}
