import type { JsonObject } from '../../../src/lib/json.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../src/wire/json-values.ts';
import { framesIn } from './facts.ts';
import type { Recording } from './recordings.ts';

/** What only the provider of an answer can read: signatures and encrypted reasoning, each whole. */
export function secretsIn({ format, kind, bytes }: Recording): readonly string[] {
  const frames = kind === 'sse' ? framesIn(bytes) : [];
  const body = kind === 'json' ? (objectOf(JSON.parse(bytes.toString('utf8'))) ?? {}) : {};
  if (format.api === 'anthropic.messages')
    return kind === 'sse' ? signedInFrames(frames) : signedIn(body.content);
  if (format.api === 'openai.chat') return [];
  if (format.api === 'gemini.generateContent') return (kind === 'sse' ? frames : [body]).flatMap(signedParts);
  // Each event encrypts anew: what a stream says of an item when it is done is what clients keep.
  const done = frames.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
  return objectsOf(kind === 'sse' ? done : body.output).flatMap(({ type, encrypted_content }, at, items) =>
    type === 'reasoning' && travels.has(String(items[at + 1]?.type))
      ? (stringOf(encrypted_content) ?? [])
      : [],
  );
}

/** What the provider ran by itself can't go back through clients of others. */
function signedParts(piece: JsonObject): readonly string[] {
  const parts = objectsOf(piece.candidates).flatMap(({ content }) => objectsOf(objectOf(content)?.parts));
  return parts.flatMap(({ text, functionCall, thoughtSignature }) =>
    text !== undefined || functionCall !== undefined ? (stringOf(thoughtSignature) ?? []) : [],
  );
}

/** Reasoning goes back with what it led to; calls of the provider's own tools can't. */
const travels: ReadonlySet<string> = new Set(['message', 'function_call', 'custom_tool_call']);

function signedIn(content: unknown): readonly string[] {
  return objectsOf(content).flatMap(({ signature, data, type }) => {
    const secret = type === 'redacted_thinking' ? data : signature;
    return stringOf(secret) || [];
  });
}

function signedInFrames(frames: readonly JsonObject[]): readonly string[] {
  const whole = new Map<number, string>();
  const add = (at: number, piece: unknown) => whole.set(at, (whole.get(at) ?? '') + (stringOf(piece) ?? ''));
  for (const { type, index, content_block, delta } of frames) {
    const at = numberOf(index) ?? 0;
    if (type === 'content_block_start') for (const secret of signedIn([content_block])) add(at, secret);
    if (objectOf(delta)?.type === 'signature_delta') add(at, objectOf(delta)?.signature);
  }
  return [...whole.values()].filter((secret) => secret !== '');
}

/** The fields in which a chat provider showed its thoughts. */
export function thoughtFieldsIn({ format, bytes }: Recording): readonly string[] {
  if (format.api !== 'openai.chat') return [];
  const text = bytes.toString('utf8');
  return ['reasoning_content', 'reasoning'].filter((field) =>
    new RegExp(`"${field}"\\s*:\\s*"[^"]`).test(text),
  );
}
