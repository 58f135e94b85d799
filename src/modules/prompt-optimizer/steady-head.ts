import {
  appendText,
  type Block,
  type ChatRequest,
  type Exchange,
  type Message,
  type Tool,
} from '../../module-api.ts';
import type { CallRecord } from './call-record.ts';
import { mapSystem, type SystemSummary } from './head.ts';
import { changeCharsMax } from './limits.ts';
import { changedPassages, withValues } from './volatile-values.ts';

/** The tools in the order in which they were first sent; undefined if they are in that order, or a marker depends on it. */
export function restoreOrder(
  { tools = [] }: ChatRequest,
  order: readonly string[] | undefined,
): readonly Tool[] | undefined {
  if (order === undefined || tools.every(({ name }, at) => name === order[at])) return undefined;
  if (tools.some(({ cache_control }) => cache_control != null)) return undefined;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const ordered = order.flatMap((name) => byName.get(name) ?? []);
  return ordered.length === tools.length ? ordered : undefined;
}

/** Instructions as first sent, and what the model has to know of the difference. */
export interface SystemRevision {
  readonly system: ChatRequest['system'];
  /** What has changed since the last call; empty if nothing has. */
  readonly change: string;
}

/** Undefined if the instructions are those first sent, or differ in too much. */
export function keepSystem(
  exchange: Exchange,
  { values }: SystemSummary,
  last: CallRecord | undefined,
): SystemRevision | undefined {
  if (values === undefined || last === undefined || last.sentValues.length !== values.length)
    return undefined;
  if (isSameList(values, last.sentValues) && isSameList(values, last.knownValues)) return undefined;
  const change = changeOf(exchange, last.knownValues);
  if (change === undefined) return undefined;
  const sent = last.sentValues.values();
  return { system: mapSystem(exchange, (text) => withValues(text, sent)), change };
}

function changeOf(exchange: Exchange, knownValues: readonly string[]): string | undefined {
  const known = knownValues.values();
  const passages: string[] = [];
  mapSystem(exchange, (text) => {
    passages.push(...changedPassages(text, known));
    return text;
  });
  if (passages.length === 0) return '';
  const change = `[Since the start of this conversation the instructions have changed. They now say:\n${passages.join('\n')}]`;
  return change.length > changeCharsMax ? undefined : change;
}

/**
 * A message of the user with a text behind it. In a turn of tool results it is part of the last one: a further block would end
 * the turn for models that think between tool calls.
 */
export function appendChange(message: Message, text: string): Message {
  const { content } = message;
  const last = typeof content === 'string' ? undefined : content.at(-1);
  if (typeof content === 'string' || last?.type !== 'tool_result') return appendText(message, text);
  const parts: readonly Block[] =
    typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : (last.content ?? []);
  const result = { ...last, content: [...parts, { type: 'text' as const, text }] };
  return { ...message, content: [...content.slice(0, -1), result] };
}

export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
