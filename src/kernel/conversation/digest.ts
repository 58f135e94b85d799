import { hash } from 'node:crypto';
import { isJsonObject } from '../json.ts';
import type { ChatRequest, Message, TextBlock } from '../message.ts';
import { unmarked } from '../unmarked.ts';

/** What has been worked out of messages, tools and instructions, which nobody changes. */
const known = new WeakMap<object, string>();

/** A name for what a message says; cache markers, and whether a text stands in a block, are no part of that. */
export function digestOfMessage(message: Message): string {
  return remembered(message, () => {
    const { role, content } = message;
    return digest([role, typeof content === 'string' ? [{ type: 'text', text: content }] : content]);
  });
}

export function digestOfTools({ tools }: Pick<ChatRequest, 'tools'>): string {
  return tools === undefined || tools.length === 0 ? '' : remembered(tools, () => digest(tools));
}

/** Blocks that begin with `attribution` tell who sends a call, and may be others in each. */
export function digestOfSystem({ system }: ChatRequest, attribution: string | undefined): string {
  if (system === undefined || system.length === 0) return '';
  if (typeof system === 'string') return digest([{ type: 'text', text: system }]);
  return remembered(system, () => {
    const isSaid = ({ text }: TextBlock) => typeof text !== 'string' || !text.startsWith(attribution ?? '\0');
    return digest(system.filter(isSaid));
  });
}

export function digest(value: unknown): string {
  const json = JSON.stringify(value);
  return digestOfText(json.includes('"cache_control"') ? JSON.stringify(withoutMarkers(value)) : json);
}

export function digestOfText(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestCharacters);
}

/** 132 bits: nobody finds two texts with the same. */
const digestCharacters = 22;

function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  return isJsonObject(value) ? unmarked(value) : value;
}

function remembered(of: object, made: () => string): string {
  const before = known.get(of);
  if (before !== undefined) return before;
  const name = made();
  known.set(of, name);
  return name;
}
