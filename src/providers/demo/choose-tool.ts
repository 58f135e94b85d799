import type { ChatRequest, Message, Tool } from '../../kernel/message.ts';
import { userTextOf } from './user-text.ts';

/** Whoever asks for a tool by its name does so in fewer; a million take tens of milliseconds. */
const userTextCharsMax = 20_000;
/** Providers allow 64 to 128 in the name of a tool. */
const nameCharactersMax = 256;

/**
 * A tool is called where the client insists on it, or, once in a conversation, where it is plainly asked for: it is named
 * in the question, or the only one there is. A model that understands nothing must not do anything by itself.
 */
export function chooseTool(request: ChatRequest): Tool | undefined {
  const { tool_choice: choice, messages } = request;
  const tools = (request.tools ?? []).filter(isCallable);
  if (choice?.type === 'none' || hasResult(messages.at(-1))) return undefined;
  if (choice?.type === 'tool') return tools.find((tool) => tool.name === choice.name);
  if (choice?.type === 'any') return tools.find(isHarmless) ?? tools[0];
  if (messages.some(hasResult)) return undefined;
  if (tools.length === 1) return tools.find(isHarmless);
  const asked = new Set(wordsOf(userTextOf(messages.at(-1)?.content ?? '').slice(0, userTextCharsMax)));
  return tools.find((tool) => isHarmless(tool) && isAsked(tool, asked));
}

/** What has no name can't be called. Tools of other types are their provider's, which knows what they take. */
function isCallable({ name, type }: Tool): boolean {
  return typeof name === 'string' && (type === undefined || type === 'custom');
}

function hasResult(message: Message | undefined): boolean {
  if (message === undefined || typeof message.content === 'string') return false;
  return message.content.some((block) => block.type === 'tool_result');
}

function isAsked({ name }: Tool, asked: ReadonlySet<string>): boolean {
  const words = wordsOf(name).filter((word) => !fillerWords.has(word));
  return words.length > 0 && words.every((word) => asked.has(word));
}

/** By its name nothing is changed, sent or started; made up arguments do no harm then. A name too long to read may say anything. */
function isHarmless({ name }: Tool): boolean {
  return name.length <= nameCharactersMax && !wordsOf(name).some((word) => actionWords.has(word));
}

/** `getWeather`, `get_weather` and "get weather" alike. */
function wordsOf(text: string): readonly string[] {
  const apart = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return apart.match(/[\p{L}\d]+/gu) ?? [];
}

const fillerWords = new Set([
  'get',
  'fetch',
  'lookup',
  'look',
  'up',
  'query',
  'find',
  'tool',
  'the',
  'a',
  'mcp',
  'current',
]);

const actionWords = new Set(
  `bash shell exec execute command terminal process run start stop kill spawn agent agents task workflow schedule wakeup skill
  write edit create make add insert update set change replace apply patch delete remove clear drop reset move rename copy
  send post put push publish reply email mail message notify call dial
  pay buy order book transfer purchase charge refund cancel
  install deploy build merge commit upload download click type press key computer browser navigate submit approve`.split(
    /\s+/,
  ),
);
