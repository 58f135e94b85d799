import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { numberOf, objectOf, objectsOf } from '../../../../src/wire/json-values.ts';
import {
  hasFieldsBeyond,
  hasTools,
  isPaired,
  isSet,
  isSteered,
  messagesOf,
  type Refusal,
  unpaired,
} from './refusal.ts';

/** API reference of the Messages API, its pages on thinking, tools and structured outputs, and the API's own words. */
export const anthropicRefusals: readonly Refusal[] = [
  { what: 'a call without max_tokens', refused: ({ max_tokens }) => !((numberOf(max_tokens) ?? 0) > 0) },
  {
    what: 'roles it does not know',
    refused: (body) => messagesOf(body).some(({ role }) => !roles.has(String(role))),
  },
  {
    what: 'system messages in mid-conversation',
    models: /^(?!.*(?:fable|opus-(?:4-[89]|[5-9])|sonnet-[5-9]|haiku-[5-9]))/,
    refused: (body) => messagesOf(body).some(({ role }) => role === 'system'),
  },
  {
    what: 'empty texts',
    refused: (body) =>
      blocksOf(body).some(({ type, text }) => type === 'text' && String(text ?? '').trim() === ''),
  },
  {
    what: 'messages without content',
    refused: (body) =>
      messagesOf(body).some(({ content }) => !isSet(content) || content === '' || isEmpty(content)),
  },
  { what: unpaired, refused: (_, asked) => !isPaired(asked) },
  {
    what: 'texts before the results of tools',
    refused: (body) =>
      messagesOf(body).some(({ content }) => {
        const kinds = objectsOf(content).map(({ type }) => type);
        return (
          kinds.lastIndexOf('tool_result') > kinds.findIndex((kind) => kind !== 'tool_result') &&
          kinds.some((kind) => kind !== 'tool_result')
        );
      }),
  },
  {
    what: 'ids of calls with other characters than letters, digits, _ and -',
    refused: (body) =>
      blocksOf(body).some(({ id, tool_use_id, type }) => {
        const given = type === 'tool_use' ? id : tool_use_id;
        return isSet(given) && !/^[a-zA-Z0-9_-]+$/.test(String(given));
      }),
  },
  {
    what: 'arguments of a tool that are no object',
    refused: (body) => blocksOf(body).some(({ type, input }) => type === 'tool_use' && !isJsonObject(input)),
  },
  { what: 'tool_choice without tools', refused: (body) => isSet(body.tool_choice) && !hasTools(body) },
  {
    what: 'a choice of a tool that is not there',
    refused: ({ tool_choice, tools }) => {
      const choice = objectOf(tool_choice);
      return choice?.type === 'tool' && !objectsOf(tools).some(({ name }) => name === choice.name);
    },
  },
  {
    what: 'temperatures over 1',
    refused: ({ temperature }) => (numberOf(temperature) ?? 0) > 1,
  },
  {
    what: 'temperature together with top_p',
    models: /(?:opus|sonnet|haiku)-(?:4-[1-9](?!\d)|[5-9])/,
    refused: ({ temperature, top_p }) => isSet(temperature) && isSet(top_p),
  },
  {
    what: 'temperature, top_p or top_k at all',
    models: newest(),
    refused: ({ temperature, top_p, top_k }) => isSteered(temperature) || isSteered(top_p) || isSet(top_k),
  },
  {
    what: 'budgets for thinking',
    models: newest(),
    refused: ({ thinking }) => objectOf(thinking)?.type === 'enabled',
  },
  {
    what: 'a budget below 1,024 or not below max_tokens',
    refused: ({ thinking, max_tokens }) => {
      const budget = numberOf(objectOf(thinking)?.budget_tokens);
      return budget !== undefined && (budget < 1024 || budget >= (numberOf(max_tokens) ?? 0));
    },
  },
  {
    what: 'temperature, top_k or a forced tool while it thinks',
    refused: ({ thinking, temperature, top_k, tool_choice }) =>
      objectOf(thinking)?.type === 'enabled' &&
      (isSteered(temperature) ||
        isSet(top_k) ||
        ['any', 'tool'].includes(String(objectOf(tool_choice)?.type))),
  },
  {
    what: 'thinking without a signature',
    refused: (body) => blocksOf(body).some(({ type, signature }) => type === 'thinking' && !signature),
  },
  {
    what: 'pictures of other types than JPEG, PNG, GIF and WebP',
    refused: (body) =>
      blocksOf(body).some(({ type, source }) => {
        const { type: kind, media_type } = objectOf(source) ?? {};
        return type === 'image' && kind === 'base64' && !pictureTypes.has(String(media_type));
      }),
  },
  {
    what: 'more than four marks for the cache',
    refused: (body) => (JSON.stringify(body).match(/"cache_control":\{/g) ?? []).length > 4,
  },
  {
    what: 'schemas of answers with open objects',
    refused: ({ output_config }) => hasOpenObject(objectOf(objectOf(output_config)?.format)?.schema),
  },
  {
    what: 'schemas of answers, before Opus 4.1',
    models: /claude-3|-4-20/,
    refused: ({ output_config }) => isSet(objectOf(output_config)?.format),
  },
  { what: 'fields it does not know', refused: (body) => hasFieldsBeyond(body, fields) },
  {
    what: 'fields it does not know in tools',
    refused: ({ tools }) =>
      objectsOf(tools).some((tool) => !isSet(tool.type) && hasFieldsBeyond(tool, toolFields)),
  },
];

function newest(): RegExp {
  return /opus-(?:4-[789]|[5-9])|sonnet-[5-9]|haiku-[5-9]|fable/;
}

function blocksOf(body: JsonObject): readonly JsonObject[] {
  const said = messagesOf(body).flatMap(({ content }) => objectsOf(content));
  const returned = said.flatMap(({ content }) => objectsOf(content));
  return [...objectsOf(body.system), ...said, ...returned];
}

function isEmpty(content: unknown): boolean {
  return Array.isArray(content) && content.length === 0;
}

function hasOpenObject(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasOpenObject);
  const object = objectOf(schema);
  if (object === undefined) return false;
  if (object.type === 'object' && object.additionalProperties !== false) return true;
  return Object.values(object).some(hasOpenObject);
}

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);
const pictureTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const toolFields: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'cache_control',
  'strict',
  'input_examples',
  'defer_loading',
  'allowed_callers',
  'eager_input_streaming',
]);
const fields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'metadata',
  'thinking',
  'output_config',
  'cache_control',
  'service_tier',
  'container',
  'context_management',
  'mcp_servers',
  'inference_geo',
]);
