import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ChatRequest, Message, Tool } from '../../../src/kernel/message.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { wireByName } from '../../../src/wire/index.ts';
import { faultsIn } from './faults.ts';
import { rowsOf } from './rows.ts';
import { type Provider, type Scorer, SimulatedRun } from './simulated.ts';

export interface TraceCost {
  readonly name: string;
  readonly provider: string;
  readonly target: string;
  readonly without: number;
  readonly spent: number;
  /** Of all conversations, and of every moment in them, the dearest, as a share of what it would have cost. */
  readonly worst: number;
  readonly steps: number;
  /** Requests that a provider would refuse. */
  readonly faults: number;
}

interface How {
  readonly scorer: Scorer;
  readonly provider: Provider;
  readonly target: string;
}

interface Row {
  readonly message?: Message;
  readonly time?: string;
}

/** A file of recorded conversations: one, a message a line, or many, one a line. */
export interface RecordedSession {
  readonly file: string;
  readonly isMany: boolean;
}

/** Those below a folder; what has questions is for another part. */
export function recordedIn(folder: string): readonly RecordedSession[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const inside = join(folder, entry.name);
    if (!entry.isDirectory() || existsSync(join(inside, 'questions.jsonl'))) return [];
    return readdirSync(inside)
      .filter((name) => name.endsWith('.jsonl') && name !== 'tools.jsonl')
      .map((name) => join(inside, name))
      .map((file) => ({ file, isMany: rowsOf<JsonObject>(file)[0]?.messages !== undefined }));
  });
}

function toolsBeside<Kind>(file: string): readonly Kind[] {
  const tools = join(dirname(file), 'tools.jsonl');
  return existsSync(tools) ? rowsOf<Kind>(tools) : [];
}

/** A recorded session, sent turn by turn at its own times; the client marks its last block where its provider has markers. */
export async function session(file: string, how: How): Promise<TraceCost> {
  const requests = requestsIn(file, how.provider.name === 'anthropic');
  return { name: basename(file, '.jsonl'), ...(await cost([requests], how)) };
}

export function requestsIn(file: string, isMarked: boolean): readonly TimedRequest[] {
  return requestsOf(rowsOf<Row>(file), toolsBeside<Tool>(file), isMarked);
}

interface Chat {
  readonly messages: readonly JsonObject[];
}

/** Recorded chats of an assistant with tools, twenty seconds from call to call. */
export async function chats(file: string, how: How): Promise<TraceCost> {
  const all = chatsIn(file, how.provider.name === 'anthropic');
  return { name: `${basename(file, '.jsonl')}, ${all.length} chats`, ...(await cost(all, how)) };
}

/** The requests of each chat. */
export function chatsIn(file: string, isMarked: boolean): readonly (readonly TimedRequest[])[] {
  const tools = toolsBeside<JsonObject>(file);
  const decode = wireByName('openai-chat')?.decodeRequest;
  if (decode === undefined) throw new Error('there is no format for chats');
  return rowsOf<Chat>(file).map(({ messages }) => {
    const read = decode({ model: 'gpt-4o', messages, tools: tools.map(asTool) });
    const rows = read.messages.map((message) => ({ message }));
    const head = { ...(read.system !== undefined && { system: read.system }) };
    return requestsOf(rows, read.tools ?? [], isMarked).map((sent) => ({
      ...sent,
      request: { ...sent.request, ...head },
    }));
  });
}

function asTool(tool: JsonObject): JsonObject {
  if (tool.function !== undefined) return tool;
  const { name, description, input_schema, parameters } = tool;
  return { type: 'function', function: { name, description, parameters: parameters ?? input_schema } };
}

export interface TimedRequest {
  readonly request: ChatRequest;
  readonly atSeconds: number;
}

async function cost(conversations: readonly (readonly TimedRequest[])[], { scorer, provider, target }: How) {
  const sums = { without: 0, spent: 0, worst: 0, steps: 0, faults: 0 };
  for (const requests of conversations) {
    const plain = new SimulatedRun(scorer, provider, undefined);
    const ours = new SimulatedRun(scorer, provider, `target=${target}`);
    for (const { request, atSeconds } of requests) {
      await plain.call(request, atSeconds);
      await ours.call(request, atSeconds);
      sums.worst = Math.max(sums.worst, ours.dollars / plain.dollars);
      if (ours.latest !== undefined && faultsIn(ours.latest).length > 0) sums.faults++;
    }
    sums.without += plain.dollars;
    sums.spent += ours.dollars;
    sums.steps += ours.steps;
  }
  return { provider: provider.name, target, ...sums };
}

/** What a client sends before each answer. */
function requestsOf(
  rows: readonly Row[],
  tools: readonly Tool[],
  isMarked: boolean,
): readonly TimedRequest[] {
  const requests: TimedRequest[] = [];
  const messages: Message[] = [];
  let atSeconds = 0;
  for (const { message, time } of rows) {
    if (message === undefined) continue;
    if (message.role === 'assistant' && messages.length > 0) {
      atSeconds = time === undefined ? atSeconds + 20 : Date.parse(time) / 1000;
      const sent = isMarked ? markedLast(messages) : [...messages];
      const request = { model: 'claude-sonnet-4-5', max_tokens: 8000, messages: sent };
      requests.push({ request: tools.length > 0 ? { ...request, tools } : request, atSeconds });
    }
    messages.push(message);
  }
  return requests;
}

function markedLast(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  if (last === undefined) return messages;
  const blocks =
    typeof last.content === 'string' ? [{ type: 'text' as const, text: last.content }] : last.content;
  const [block] = blocks.slice(-1);
  if (block === undefined || block.type === 'thinking' || block.type === 'redacted_thinking') return messages;
  const marked = { ...block, cache_control: { type: 'ephemeral' as const } };
  return [...messages.slice(0, -1), { ...last, content: [...blocks.slice(0, -1), marked] }];
}
