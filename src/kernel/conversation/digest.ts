import { hash } from 'node:crypto';
import { isJsonObject } from '../../lib/json.ts';
import type { ChatRequest, Message, TextBlock } from '../message.ts';
import { stripCacheControl } from './strip-cache-control.ts';

/** Cached digests of messages, tools and instructions, which are immutable. */
const digestCache = new WeakMap<object, string>();
/** Digests of items with all their fields. */
const itemDigests = new WeakMap<object, string>();

/** A digest of a message's content; ignores cache markers, and whether a text is in a block. */
export function digestOfMessage(message: Message): string {
  return memoizeDigest(message, () => {
    const { role, content } = message;
    return digest([role, typeof content === 'string' ? [{ type: 'text', text: content }] : content]);
  });
}

/** A digest of an item of a request's list: a message, or anything else. Ignores cache markers. */
export function digestOfItem(item: object): string {
  return isMessageOnly(item)
    ? `message ${digestOfMessage(item)}`
    : memoizeDigest(item, () => `item ${digest(item)}`, itemDigests);
}

/** Whether an item has a role, content and nothing else that counts. */
export function isMessageOnly(item: unknown): item is Message {
  return isJsonObject(item) && 'role' in item && 'content' in item && Object.keys(item).every(isMessageField);
}

function isMessageField(name: string): boolean {
  return name === 'role' || name === 'content' || name === 'cache_control';
}

export function digestOfTools({ tools }: Pick<ChatRequest, 'tools'>): string {
  return tools === undefined || tools.length === 0 ? '' : memoizeDigest(tools, () => digest(tools));
}

/** Ignores blocks that start with `attribution`: they identify the client program, and may differ between calls. */
export function digestOfSystem({ system }: ChatRequest, attribution: string | undefined): string {
  if (system === undefined || system.length === 0) return '';
  if (typeof system === 'string') return digestOfSystemText(system);
  return memoizeDigest(system, () => {
    const isSaid = ({ text }: TextBlock) => typeof text !== 'string' || !text.startsWith(attribution ?? '\0');
    return digest(system.filter(isSaid));
  });
}

/** The latest instructions, since a call needs their digest many times. */
let latestSystem = { text: '', digest: '' };

function digestOfSystemText(text: string): string {
  if (text !== latestSystem.text) latestSystem = { text, digest: digest([{ type: 'text', text }]) };
  return latestSystem.digest;
}

export function digest(value: unknown): string {
  const json = JSON.stringify(value);
  return digestOfText(json.includes('"cache_control"') ? JSON.stringify(stripCacheMarkers(value)) : json);
}

export function digestOfText(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestCharacters);
}

/** 132 bits: collisions can't be found. */
const digestCharacters = 22;

function stripCacheMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripCacheMarkers);
  return isJsonObject(value) ? stripCacheControl(value) : value;
}

export function memoizeDigest(of: object, made: () => string, cache = digestCache): string {
  const before = cache.get(of);
  if (before !== undefined) return before;
  const name = made();
  cache.set(of, name);
  return name;
}
