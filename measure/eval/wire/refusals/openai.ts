import { numberOf, objectOf, objectsOf } from '../../../../src/wire/json-values.ts';
import { callsIn, chatRefusals } from './chat.ts';
import { hasFieldsBeyond, isClosed, isSet, isSteered, messagesOf, type Refusal } from './refusal.ts';

const reasoning = /^(o\d|gpt-5(?!-chat))/;

/** API reference, reasoning guide, and the API's own words. */
export const openaiChatRefusals: readonly Refusal[] = [
  ...chatRefusals,
  {
    what: 'temperature, top_p, penalties or stop with a model that reasons',
    models: reasoning,
    refused: ({ temperature, top_p, stop, presence_penalty, frequency_penalty }) =>
      isSteered(temperature) ||
      isSteered(top_p) ||
      isSet(stop) ||
      Boolean(presence_penalty || frequency_penalty),
  },
  {
    what: 'max_tokens with a model that reasons',
    models: reasoning,
    refused: ({ max_tokens }) => isSet(max_tokens),
  },
  {
    what: 'reasoning_effort with a model that does not reason',
    models: /^(gpt-[34]|chatgpt)/,
    refused: ({ reasoning_effort }) => isSet(reasoning_effort),
  },
  {
    what: 'levels of effort it does not know',
    refused: ({ reasoning_effort: effort }) => isSet(effort) && !efforts.has(String(effort)),
  },
  {
    what: 'ids of calls over 40 characters',
    refused: (body) => callsIn(body).some(({ id }) => String(id).length > 40),
  },
  { what: 'more than four stop sequences', refused: ({ stop }) => Array.isArray(stop) && stop.length > 4 },
  {
    what: 'names of users over 64 characters',
    refused: ({ user }) => isSet(user) && String(user).length > 64,
  },
  {
    what: 'strict schemas with open objects',
    refused: ({ tools, response_format }) => {
      const functions = objectsOf(tools).map((tool) => objectOf(tool.function));
      const asked = [...functions.map((each) => [each?.strict, each?.parameters])];
      const format = objectOf(objectOf(response_format)?.json_schema);
      return [...asked, [format?.strict, format?.schema]].some(
        ([strict, schema]) => strict === true && !isClosed(schema),
      );
    },
  },
  {
    what: 'fields it does not know in messages',
    refused: (body) => messagesOf(body).some((message) => hasFieldsBeyond(message, messageFields)),
  },
  {
    what: 'fields it does not know',
    refused: (body) =>
      ['top_k', 'thinking', 'system', 'stop_sequences', 'cache_control'].some((field) => isSet(body[field])),
  },
];

export const openaiResponsesRefusals: readonly Refusal[] = [
  {
    what: 'temperature or top_p with a model that reasons',
    models: reasoning,
    refused: ({ temperature, top_p }) => isSteered(temperature) || isSteered(top_p),
  },
  {
    what: 'limits below 16',
    refused: ({ max_output_tokens: limit }) => (numberOf(limit) ?? 16) < 16,
  },
  {
    what: 'fields it does not know',
    refused: (body) =>
      [
        'stop',
        'stop_sequences',
        'top_k',
        'max_tokens',
        'messages',
        'response_format',
        'reasoning_effort',
        'thinking',
      ].some((field) => isSet(body[field])),
  },
  {
    what: 'tool_choice or parallel_tool_calls without tools',
    refused: (body) => isSet(body.tool_choice) && objectsOf(body.tools).length === 0,
  },
  {
    what: 'outputs of calls that are not there, or calls without an output',
    refused: (body, asked) => {
      const ids = (type: string) =>
        objectsOf(body.input).flatMap((item) => (item.type === type ? String(item.call_id) : []));
      const made = new Set(ids('function_call'));
      const paired = asked.turns.at(-1)?.side === 'user';
      return (
        ids('function_call_output').some((id) => !made.has(id)) ||
        (paired && made.size !== new Set(ids('function_call_output')).size)
      );
    },
  },
  {
    what: 'input_text of the assistant, or output_text of the user',
    refused: ({ input }) =>
      objectsOf(input).some(({ role, content }) =>
        objectsOf(content).some(({ type }) =>
          role === 'assistant' ? type === 'input_text' : type === 'output_text',
        ),
      ),
  },
  {
    what: 'reasoning without a summary, or without what followed it',
    refused: ({ input }) =>
      objectsOf(input).some(
        ({ type, summary }, at, items) =>
          type === 'reasoning' &&
          (!Array.isArray(summary) ||
            !['reasoning', 'message', 'function_call', 'custom_tool_call'].includes(
              String(items[at + 1]?.type),
            )),
      ),
  },
  {
    what: 'messages without content',
    refused: ({ input }) =>
      objectsOf(input).some(({ content }) => Array.isArray(content) && content.length === 0),
  },
  {
    what: 'strict schemas with open objects',
    refused: ({ tools, text }) => {
      const format = objectOf(objectOf(text)?.format);
      const asked = [
        ...objectsOf(tools)
          .filter(({ type }) => type === 'function')
          .map((tool) => [tool.strict ?? true, tool.parameters]),
        [format?.strict, format?.schema],
      ];
      return asked.some(([strict, schema]) => strict === true && !isClosed(schema));
    },
  },
];

const efforts: ReadonlySet<string> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']);
const messageFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'audio',
  'tool_calls',
  'tool_call_id',
  'annotations',
]);
