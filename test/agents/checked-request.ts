import type { SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectOf, objectsOf, stringOf } from '../../src/wire/json-values.ts';
import { searchesWeb } from './scripted-turns.ts';

/** What a strict provider would refuse in a request; undefined where nothing is wrong. */
export function faultIn({ url, json, headers, bytes }: SeenRequest, expected: Expected): string | undefined {
  const model = modelIn({ url, json });
  if (!expected.models.includes(model))
    return `the model is ${model} and not ${expected.models.join(' or ')}`;
  const foreign = foreignThinking.find((mark) => bytes.includes(mark));
  if (foreign !== undefined) return `thinking of another maker: ${foreign}`;
  const key =
    stringOf(headers['x-api-key'] ?? headers['x-goog-api-key']) ??
    headers.authorization?.replace('Bearer ', '');
  if (key !== undefined && !expected.keys.includes(key)) return 'the key is not the provider’s';
  if (url.startsWith('/v1/messages')) return faultInMessages(json);
  if (url.startsWith('/v1beta/')) return faultInGemini(json);
  // A model of another format has not searched.
  const searches = expected.models.length === 1 && searchesWeb(json);
  return url.startsWith('/v1/responses') ? faultInResponses(json, searches) : faultInChat(json);
}

export function modelIn({ url, json }: Pick<SeenRequest, 'url' | 'json'>): string {
  return String(json.model ?? /\/models\/(.*):/.exec(url)?.[1]);
}

/** No provider reads what is sealed, or signed by nobody. */
const foreignThinking = [
  'weir.sealed',
  Buffer.from('weir.sealed').toString('base64').slice(0, 12),
  '"signature":""',
];

interface Expected {
  readonly models: readonly string[];
  readonly keys: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

function faultInMessages(json: Json): string | undefined {
  const strange = Object.keys(json).filter((field) => !messagesFields.has(field));
  if (strange.length > 0) return `${strange.join(', ')}: Extra inputs are not permitted`;
  if (!Number.isInteger(json.max_tokens)) return 'max_tokens: Field required';
  const messages = objectsOf(json.messages);
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [at, { role, content }] of messages.entries()) {
    if (typeof content === 'string' ? content === '' : objectsOf(content).length === 0)
      if (at < messages.length - 1) return `messages.${at}: all messages must have non-empty content`;
    const used = role === 'assistant' ? objectsOf(content).filter(({ type }) => type === 'tool_use') : [];
    const results = objectsOf(messages[at + 1]?.content);
    for (const { id } of used)
      if (!results.some(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === id))
        return `messages.${at}: tool_use ids were found without tool_result blocks immediately after: ${id}`;
  }
  return faultInNames(objectsOf(json.tools).map(({ name }) => name));
}

function faultInChat(json: Json): string | undefined {
  const open = new Set<unknown>();
  for (const [at, { role, tool_calls, tool_call_id }] of objectsOf(json.messages).entries()) {
    if (role === 'tool' && !open.delete(tool_call_id))
      return `messages[${at}]: a tool message must follow a message with that tool call`;
    if (role !== 'tool' && open.size > 0) return `messages[${at}]: tool calls were not answered before it`;
    for (const { id } of objectsOf(tool_calls)) open.add(id);
  }
  return faultInNames(objectsOf(json.tools).map((tool) => objectOf(tool.function)?.name));
}

function faultInResponses(json: Json, searches: boolean): string | undefined {
  const calls = new Set<unknown>();
  let before: unknown;
  for (const { type, call_id, encrypted_content: encrypted } of objectsOf(json.input)) {
    if (type === 'reasoning' && !encrypted) return 'a reasoning item that is not encrypted';
    if (type === 'function_call') calls.add(call_id);
    if (type === 'function_call' && before !== 'web_search_call' && before !== type && searches)
      return `The search before the call ${call_id} is missing.`;
    before = type;
    if (type === 'function_call_output' && !calls.has(call_id))
      return `No tool call found for function call output with call_id ${call_id}.`;
  }
  return undefined;
}

function faultInGemini(json: Json): string | undefined {
  let open = 0;
  for (const [at, { role, parts }] of objectsOf(json.contents).entries()) {
    const made = objectsOf(parts);
    if (made.length === 0) return `contents[${at}].parts: must not be empty`;
    // Gemini CLI repeats the results of a conversation that it resumes.
    const results = objectsOf(made.map(({ functionResponse }) => functionResponse));
    const answered = new Set(results.map(({ id }) => id ?? Symbol())).size;
    if (role !== 'model' && answered !== open)
      return `contents[${at}]: the number of function response parts is not that of the function call parts`;
    open = made.filter(({ functionCall }) => functionCall !== undefined).length;
  }
  const declared = objectsOf(json.tools).flatMap(({ functionDeclarations: each }) => objectsOf(each));
  return faultInNames(declared.map(({ name }) => name));
}

function faultInNames(names: readonly unknown[]): string | undefined {
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  const wrong = names.find((name) => typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name));
  return wrong === undefined ? undefined : `tools: ${wrong} is no name`;
}

const messagesFields = new Set(
  `model messages system tools tool_choice metadata max_tokens thinking stream temperature top_p top_k stop_sequences
  output_config context_management service_tier container mcp_servers cache_control betas speed inference_geo diagnostics`.split(
    /\s+/,
  ),
);
