import type { JsonObject } from '../../../../src/lib/json.ts';
import { objectOf, objectsOf, stringOf } from '../../../../src/wire/json-values.ts';
import { hasTools, isPaired, isSet, messagesOf, type Refusal, unpaired } from './refusal.ts';

/** What everybody who speaks Chat Completions refuses: OpenAI's API reference. */
export const chatRefusals: readonly Refusal[] = [
  {
    what: 'roles it does not know',
    refused: (body) => messagesOf(body).some(({ role }) => !roles.has(String(role))),
  },
  { what: unpaired, refused: (body, asked) => !isPaired(asked) || !followsItsCalls(body) },
  {
    what: 'anything but text in the result of a tool',
    refused: (body) =>
      messagesOf(body).some(
        ({ role, content }) => role === 'tool' && objectsOf(content).some(({ type }) => type !== 'text'),
      ),
  },
  {
    what: 'pictures in messages of the assistant or the system',
    refused: (body) =>
      messagesOf(body).some(
        ({ role, content }) =>
          role !== 'user' && objectsOf(content).some(({ type }) => type === 'image_url' || type === 'file'),
      ),
  },
  {
    what: 'messages without content or calls',
    refused: (body) =>
      messagesOf(body).some(({ content, tool_calls }) =>
        Array.isArray(content) ? content.length === 0 : !isSet(content) && !Array.isArray(tool_calls),
      ),
  },
  {
    what: 'empty lists of calls',
    refused: (body) =>
      messagesOf(body).some(({ tool_calls }) => Array.isArray(tool_calls) && tool_calls.length === 0),
  },
  { what: 'empty lists of tools', refused: ({ tools }) => Array.isArray(tools) && tools.length === 0 },
  {
    what: 'tool_choice or parallel_tool_calls without tools',
    refused: (body) => (isSet(body.tool_choice) || isSet(body.parallel_tool_calls)) && !hasTools(body),
  },
  {
    what: 'a choice of a tool that is not there',
    refused: ({ tool_choice, tools }) => {
      const name = objectOf(objectOf(tool_choice)?.function)?.name;
      return isSet(name) && !objectsOf(tools).some((tool) => objectOf(tool.function)?.name === name);
    },
  },
  {
    what: 'arguments that are no string of JSON',
    refused: (body) => callsIn(body).some((call) => !isJson(stringOf(objectOf(call.function)?.arguments))),
  },
  {
    what: 'stream_options without a stream',
    refused: ({ stream, stream_options }) => isSet(stream_options) && stream !== true,
  },
  {
    what: 'both names of the limit',
    refused: ({ max_tokens, max_completion_tokens }) => isSet(max_tokens) && isSet(max_completion_tokens),
  },
  {
    what: 'names of schemas with other characters than letters, digits, _ and -',
    refused: ({ response_format }) => {
      const described = objectOf(objectOf(response_format)?.json_schema);
      return described !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(String(described.name));
    },
  },
  {
    what: 'pictures that are neither an address nor data',
    refused: (body) =>
      messagesOf(body)
        .flatMap(({ content }) => objectsOf(content))
        .some(
          ({ type, image_url }) =>
            type === 'image_url' && !/^(https?:|data:image\/)/.test(String(objectOf(image_url)?.url)),
        ),
  },
];

export function callsIn(body: JsonObject): readonly JsonObject[] {
  return messagesOf(body).flatMap(({ tool_calls }) => objectsOf(tool_calls));
}

/** Results stand right behind the message that made the calls. */
function followsItsCalls(body: JsonObject): boolean {
  let open: readonly string[] = [];
  for (const message of messagesOf(body)) {
    if (message.role === 'tool') {
      if (!open.includes(String(message.tool_call_id))) return false;
      open = open.filter((id) => id !== message.tool_call_id);
    } else {
      if (open.length > 0) return false;
      open = objectsOf(message.tool_calls).map(({ id }) => String(id));
    }
  }
  return true;
}

function isJson(text: string | undefined): boolean {
  try {
    JSON.parse(text ?? '');
    return true;
  } catch {
    return false;
  }
}

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
