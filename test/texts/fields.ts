import type { ChatRequest, Message, Tool } from '../../src/kernel/message.ts';
import type { WireFormat } from '../../src/kernel/wire-format.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { Script } from '../../src/testing/fake-upstream.ts';
import { SseParser } from '../../src/wire/sse.ts';
import { converse } from '../support/bedrock-dialects.ts';
import { encodeEventFrame } from '../support/bedrock-server.ts';
import type { RawRequest } from '../support/call.ts';
import { dialectAt } from '../support/provider-dialects.ts';

/** A place in a call or in its answer that has a text of somebody else's. */
export interface Field {
  readonly name: string;
  /** Characters of the two texts whose times are compared; the gateway refuses longer ones in some places. */
  readonly sizes: readonly [number, number];
  /** The conversation with the text in it. */
  request?(text: string): ChatRequest;
  /** Changes the request as it goes over the wire. */
  send?(sent: RawRequest, text: string): RawRequest;
  /** What the provider says. */
  answer?(text: string): ScriptedAnswer;
  /** Whether the answer is a stream. */
  readonly streamed?: boolean;
}

/** An answer of the provider, in any format. */
export interface ScriptedAnswer {
  readonly text: string;
  /** The argument of a call to a tool. */
  readonly argument?: string;
  /** An error with this message in place of an answer. */
  readonly error?: string;
}

const kib = 1024;
const inBody: Field['sizes'] = [32 * kib, 128 * kib];
/** The head of a request may have 32 KiB. */
const inHead: Field['sizes'] = [6 * kib, 24 * kib];
const short: Field['sizes'] = [250, 1000];
const name: Field['sizes'] = [60, 240];

/** The task that the pattern of the gateway is about. */
export const task = 'Read the notes of the harbour master and tell how many boats there are.';
const schema = { type: 'object', properties: { path: { type: 'string', description: 'Where it is.' } } };
const tools: readonly Tool[] = Array.from({ length: 60 }, (_, at) => ({
  name: at === 0 ? 'read_file' : `server${at % 6}__tool_${at}`,
  description: `Reads, writes or counts things of kind ${at} and answers with a record of all that is known of them.`,
  input_schema: schema,
}));

const user = (content: Message['content']): Message => ({ role: 'user', content });
const assistant = (content: Message['content']): Message => ({ role: 'assistant', content });
const uses = (input: object): Message =>
  assistant([{ type: 'tool_use', id: 'call_1', name: 'read_file', input }]);
const result = (content: string): Message => user([{ type: 'tool_result', tool_use_id: 'call_1', content }]);
const usual: readonly Message[] = [
  user(task),
  uses({ path: 'notes.txt' }),
  result('3 boats'),
  assistant('There are three boats.'),
  user('And how many of them are red?'),
];

/** A conversation with a tool, with some of its messages replaced. */
function talk(replaced: Readonly<Record<number, Message>>, count = usual.length): ChatRequest {
  const messages = usual.slice(0, count).map((message, at) => replaced[at] ?? message);
  return { model: '', max_tokens: 500, system: 'You look after a harbour.', tools, messages };
}

/** The conversation as its first call has it. */
export const opening: ChatRequest = talk({}, 1);

const withTool = (tool: Tool): ChatRequest => ({ ...talk({}), tools: [...tools.slice(1), tool] });
const withHeader = (header: string, value: (text: string) => string = (text) => text): Field => ({
  name: `header ${header}`,
  sizes: inHead,
  send: (sent, text) => ({
    ...sent,
    headers: withValue(sent.headers ?? [], header, asHeader(value(text))),
  }),
});

export const fields: readonly Field[] = [
  { name: 'newest user text', sizes: inBody, request: (text) => talk({ 4: user(text) }) },
  { name: 'only user text', sizes: inBody, request: (text) => talk({ 0: user(text) }, 1) },
  {
    name: 'short user text',
    sizes: short,
    request: (text) => ({ ...talk({ 0: user(text) }, 1), tools: [] }),
  },
  { name: 'first user text', sizes: inBody, request: (text) => talk({ 0: user(`${task}\n${text}`) }) },
  { name: 'system', sizes: inBody, request: (system) => ({ ...talk({}), system }) },
  { name: 'assistant text', sizes: inBody, request: (text) => talk({ 3: assistant(text) }) },
  { name: 'newest tool result', sizes: inBody, request: (text) => talk({ 2: result(text) }, 3) },
  { name: 'older tool result', sizes: inBody, request: (text) => talk({ 2: result(text) }) },
  {
    name: 'eight tool results',
    sizes: inBody,
    request: (text) => ({ ...talk({}), messages: eightResults(text) }),
  },
  { name: 'tool argument', sizes: inBody, request: (path) => talk({ 1: uses({ path }) }) },
  { name: 'name of a tool argument', sizes: inBody, request: (text) => talk({ 1: uses({ [text]: 1 }) }) },
  { name: 'tool name', sizes: inBody, request: (text) => withTool({ name: text, input_schema: schema }) },
  {
    name: 'tool description',
    sizes: inBody,
    request: (description) => withTool({ name: 'save', description, input_schema: schema }),
  },
  {
    name: 'tool schema',
    sizes: inBody,
    request: (text) => withTool({ name: 'save', input_schema: schemaWith(text) }),
  },
  {
    name: 'document',
    sizes: inBody,
    request: (data) =>
      talk({
        4: user([
          { type: 'document', title: 'notes', source: { type: 'text', media_type: 'text/plain', data } },
          { type: 'text', text: 'And how many of them are red?' },
        ]),
      }),
  },
  {
    name: 'stop sequence',
    sizes: inBody,
    request: (text) => ({ ...talk({}), stop_sequences: [text] }),
  },
  { name: 'end user', sizes: inBody, request: (user_id) => ({ ...talk({}), metadata: { user_id } }) },
  { name: 'short end user', sizes: short, request: (user_id) => ({ ...talk({}), metadata: { user_id } }) },
  {
    name: 'metadata',
    sizes: inBody,
    send: (sent, text) => withBodyField(sent, 'metadata', { [text.slice(0, 200)]: text }),
  },
  { name: 'unknown field', sizes: inBody, send: (sent, text) => withBodyField(sent, text, text) },
  { name: 'model', sizes: name, request: (text) => ({ ...talk({}), model: `claude-sonnet-4-5-${text}` }) },
  { name: 'whole model name', sizes: name, request: (model) => ({ ...talk({}), model }) },
  {
    name: 'model in a path',
    sizes: name,
    send: (_, text) => ({ path: `/v1/models/claude-sonnet-4-5-${asPath(text)}` }),
  },
  { name: 'path', sizes: inHead, send: (_, text) => ({ path: `/${asPath(text)}` }) },
  {
    name: 'path of the API',
    sizes: inHead,
    send: (_, text) => ({ path: `/v1beta/models/${asPath(text)}` }),
  },
  { name: 'query', sizes: inHead, send: (sent, text) => withQuery(sent, asPath(text)) },
  {
    name: 'query of the request log',
    sizes: inHead,
    send: (_, text) => ({
      path: `/v1/requests?model=${encodeURIComponent(text.toWellFormed())}`.slice(0, 24 * kib),
    }),
  },
  withHeader('x-weir-pipeline'),
  withHeader('x-weir-conversation'),
  withHeader('user-agent'),
  withHeader('anthropic-beta'),
  withHeader('accept'),
  withHeader('cookie'),
  withHeader('authorization', (text) => `Bearer ${text}`),
  withHeader('traceparent'),
  { name: 'answer', sizes: inBody, answer: (text) => ({ text }) },
  { name: 'streamed answer', sizes: inBody, streamed: true, answer: (text) => ({ text }) },
  { name: 'argument in an answer', sizes: inBody, answer: (argument) => ({ text: 'Yes.', argument }) },
  {
    name: 'argument in a streamed answer',
    sizes: inBody,
    streamed: true,
    answer: (argument) => ({ text: 'Yes.', argument }),
  },
  { name: 'error of the provider', sizes: inBody, answer: (error) => ({ text: '', error }) },
];

function eightResults(text: string): readonly Message[] {
  const share = text.slice(0, Math.ceil(text.length / 8));
  return [
    user(task),
    ...Array.from({ length: 8 }, () => [uses({ path: 'notes.txt' }), result(share)]).flat(),
  ];
}

function schemaWith(text: string): JsonObject {
  return {
    type: 'object',
    description: text.slice(0, text.length / 2),
    properties: { [text.slice(text.length / 2)]: { type: 'string', enum: ['a'] } },
  };
}

/** The request in a format. */
export function encoded(wire: WireFormat, request: ChatRequest, streamed: boolean): RawRequest {
  const { body } = wire.encodeRequest({ ...request, stream: streamed });
  const { model } = request;
  const path =
    wire.name === 'gemini'
      ? `/v1beta/models/${asPath(model)}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
      : (wire.routes[0]?.path ?? '');
  return { path, body };
}

function withBodyField(sent: RawRequest, name: string, value: unknown): RawRequest {
  const json: unknown = JSON.parse(
    Buffer.from(sent.body instanceof Uint8Array ? sent.body : '{}').toString(),
  );
  return { ...sent, body: { ...Object(json), [name]: value } };
}

/** The header in place of one of the same name. */
function withValue(headers: readonly string[], header: string, value: string): readonly string[] {
  const at = headers.indexOf(header);
  const others = at < 0 ? headers : headers.toSpliced(at, 2);
  return [...others, header, value];
}

function withQuery(sent: RawRequest, text: string): RawRequest {
  return { ...sent, path: `${sent.path}${sent.path.includes('?') ? '&' : '?'}a=${text}` };
}

/** What may stand in a path, as it is where it can be. */
export function asPath(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

/** What may stand in a header: other characters as the bytes that they are in UTF-8. */
export function asHeader(text: string): string {
  const bytes = Buffer.from(text.replaceAll(/[^\t\x20-\x7e\u0080-\uffff]/g, ' '));
  return bytes.toString('latin1').slice(0, 24 * kib);
}

/** Characters in each piece of a stream. */
const pieceCharacters = 200;

/** The provider's answer to a call at this path. */
export function played(url: string, streamed: boolean, { text, argument, error }: ScriptedAnswer): Script {
  const isConverse = /\/converse(-stream)?$/.test(url);
  const dialect = isConverse ? converse : dialectAt(url);
  const call = { id: 'call_2', name: 'read_file' };
  const json = JSON.stringify({ path: argument });
  if (error !== undefined) return dialect.refusal(400, error);
  if (!streamed) return { body: dialect.whole(text, ...(argument === undefined ? [] : [{ ...call, json }])) };
  const stream = [
    dialect.opening,
    dialect.text(...pieces(text)),
    ...(argument === undefined ? [] : [dialect.call(call, ...pieces(json))]),
    dialect.closing(argument === undefined ? 'said' : 'called'),
  ].join('');
  return isConverse
    ? { headers: { 'content-type': 'application/vnd.amazon.eventstream' }, chunks: [inFrames(stream)] }
    : { chunks: [stream] };
}

function inFrames(stream: string): Buffer {
  const events = new SseParser().push(Buffer.from(stream));
  return Buffer.concat(events.map(({ event, data }) => encodeEventFrame(event, data, false)));
}

function pieces(text: string): readonly string[] {
  const count = Math.ceil(text.length / pieceCharacters);
  return Array.from({ length: count }, (_, at) =>
    text.slice(at * pieceCharacters, (at + 1) * pieceCharacters),
  );
}
