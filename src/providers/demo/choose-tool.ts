import type { ChatRequest, Message, Tool } from '../../kernel/message.ts';
import { userTextOf } from './user-text.ts';

/** A request for a tool by name is shorter; a million characters take tens of milliseconds. */
const userTextCharsMax = 20_000;
/** Providers allow 64 to 128 characters in a tool name. */
const nameCharactersMax = 256;

/**
 * Calls a tool if the client forces it, or once per conversation if the user clearly wants it: the text names it, or it
 * is the only tool. A model that understands nothing must not act by itself.
 */
export function chooseTool(request: ChatRequest): Tool | undefined {
  const { tool_choice: choice, messages } = request;
  const tools = (request.tools ?? []).filter(isCallable);
  if (choice?.type === 'none' || hasResult(messages.at(-1))) return undefined;
  if (choice?.type === 'tool') return tools.find((tool) => tool.name === choice.name);
  if (choice?.type === 'any') return tools.find(isHarmless) ?? tools[0];
  if (messages.some(hasResult)) return undefined;
  if (tools.length === 1) return tools.find(isHarmless);
  const userWords = new Set(wordsOf(userTextOf(messages.at(-1)?.content ?? '').slice(0, userTextCharsMax)));
  return tools.find((tool) => isHarmless(tool) && isNamedIn(tool, userWords));
}

/** A tool without a name can't be called. Tools of other types run at their provider. */
function isCallable({ name, type }: Tool): boolean {
  return typeof name === 'string' && (type === undefined || type === 'custom');
}

function hasResult(message: Message | undefined): boolean {
  if (message === undefined || typeof message.content === 'string') return false;
  return message.content.some((block) => block.type === 'tool_result');
}

function isNamedIn({ name }: Tool, userWords: ReadonlySet<string>): boolean {
  const words = wordsOf(name).filter((word) => !fillerWords.has(word));
  return words.length > 0 && words.every((word) => userWords.has(word));
}

/** Judging by its name, the tool changes nothing, so made-up arguments are safe. Overlong names don't count. */
function isHarmless({ name }: Tool): boolean {
  return name.length <= nameCharactersMax && !wordsOf(name).some((word) => actionWords.has(word));
}

/** Treats `getWeather`, `get_weather` and "get weather" alike. */
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
