import type { Exchange } from './exchange.ts';
import type { ChatRequest, Message } from './message.ts';
import type { Module } from './module.ts';

/** What a module may edit. */
export type Touch =
  | 'tools'
  | 'system'
  /** Messages up to the last one of the assistant. */
  | 'history'
  /** Messages after it. */
  | 'newest-turn'
  | 'output-limit'
  /** Every other field: temperature, thinking, stop sequences and so on. */
  | 'settings'
  /** The target of the call. */
  | 'target'
  | 'reply'
  /** The fields of a call to an endpoint without a canonical form, such as the texts of embeddings. */
  | 'inputs'
  /**
   * Everything in a request that carries text, to keep content from providers. Its edits are made even if they cost a
   * provider's cache, and it runs behind all modules that edit content.
   */
  | 'redaction';

/** Everything that redaction may edit. */
const redactedTouches: ReadonlySet<Touch> = new Set([
  'tools',
  'system',
  'history',
  'newest-turn',
  'settings',
]);

/** What carries text that a model reads. */
const contentTouches: ReadonlySet<Touch> = new Set([...redactedTouches, 'redaction']);

export function redacts({ touches }: Module): boolean {
  return touches.includes('redaction');
}

/** Whether it edits content only to keep it from providers. */
export function onlyRedacts(module: Module): boolean {
  return redacts(module) && !module.touches.some((touch) => redactedTouches.has(touch));
}

/** Whether it may change what a model reads. */
export function editsContent({ touches }: Module): boolean {
  return touches.some((touch) => contentTouches.has(touch));
}

/** Throws if a module changed something that its `touches` don't list. */
export function checkTouches(module: Module, before: Exchange, after: Exchange): void {
  if (after === before) return;
  if (after.target !== before.target) requireTouch(module, 'target');
  if (after.relay !== before.relay) requireTouch(module, 'inputs');
  if (after.isUnmodified && before.isUnmodified) return;
  for (const touch of touchesBetween(before.request, after.request)) requireTouch(module, touch);
}

export function requireTouch({ name, touches }: Module, touch: Touch): void {
  if (touches.includes(touch)) return;
  if (touches.includes('redaction') && (redactedTouches.has(touch) || touch === 'inputs')) return;
  throw new Error(`the module ${name} may not change "${touch}": its "touches" do not list it`);
}

/** The differences between two requests, by object identity. */
function touchesBetween(before: ChatRequest, after: ChatRequest): ReadonlySet<Touch> {
  const touched = new Set<Touch>();
  if (before === after) return touched;
  const [old, edited]: readonly Readonly<Record<string, unknown>>[] = [{ ...before }, { ...after }];
  for (const field of new Set([...Object.keys(old ?? {}), ...Object.keys(edited ?? {})]))
    if (field !== 'messages' && old?.[field] !== edited?.[field]) touched.add(touchOf(field));
  if (before.messages !== after.messages) {
    const turn = newestTurnStart(before.messages);
    if (!isSame(before.messages, after.messages, 0, turn)) touched.add('history');
    const end = Math.max(before.messages.length, after.messages.length);
    if (!isSame(before.messages, after.messages, turn, end)) touched.add('newest-turn');
  }
  return touched;
}

function touchOf(field: string): Touch {
  switch (field) {
    case 'tools':
    case 'tool_choice':
      return 'tools';
    case 'system':
      return 'system';
    case 'max_tokens':
      return 'output-limit';
    default:
      return 'settings';
  }
}

/** The index of the newest turn: after the last message of the assistant. */
function newestTurnStart(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === 'assistant') + 1;
}

function isSame(before: readonly Message[], after: readonly Message[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (before[at] !== after[at]) return false;
  return true;
}
