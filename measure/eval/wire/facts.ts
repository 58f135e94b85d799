import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';

/** What an answer says, whatever the format it says it in. */
export interface Facts {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly Call[];
  readonly stop: string;
  readonly usage: Usage;
}

export interface Call {
  /** Empty where a provider gave none. */
  readonly id: string;
  readonly name: string;
  /** Parsed, or the text where it was cut off in the middle. */
  readonly input: unknown;
}

interface Usage {
  /** All that the model read, also from a cache. */
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

/** Either what was said, or the error that came instead. */
export type Outcome = { readonly facts: Facts } | { readonly error: string };

/** Where two readings of one answer differ; empty where they agree. */
export function differences(wanted: Facts, got: Facts): readonly string[] {
  const found: string[] = [];
  const compare = (what: string, want: unknown, have: unknown) => {
    if (!isDeepStrictEqual(want, have)) found.push(`${what}: ${JSON.stringify([want, have]).slice(0, 400)}`);
  };
  compare('text', wanted.text, got.text);
  compare('thinking', wanted.thinking, got.thinking);
  compare('calls', wanted.calls.map(unnamed), got.calls.map(unnamed));
  compare('ids', pairedIds(wanted, got), idsOf(got));
  compare('stop', wanted.stop, got.stop);
  compare('usage', wanted.usage, got.usage);
  return found;
}

function unnamed({ name, input }: Call) {
  return { name, input };
}

function idsOf({ calls }: Facts): readonly string[] {
  return calls.map(({ id }) => id);
}

/** The recorded ids; where a provider gave none, any will do that no other call has. */
function pairedIds(wanted: Facts, got: Facts): readonly string[] {
  const given = idsOf(got);
  return idsOf(wanted).map((id, at) => {
    const other = given[at] ?? '';
    return id === '' && other !== '' && given.indexOf(other) === at ? other : id;
  });
}

/** Arguments are an object in Interactions: half of one is a value in it. */
export function withObject(call: Call): Call {
  return isJsonObject(call.input) ? call : { ...call, input: { value: call.input } };
}

/** JSON in a string, as tools are given it: nothing is an empty object, half a document stays as it is. */
export function inputOf(text: unknown): unknown {
  if (typeof text !== 'string') return text ?? {};
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return text;
  }
}

/** The objects of a stream, one for each frame that has one. */
export function framesIn(bytes: Buffer): readonly JsonObject[] {
  return bytes
    .toString('utf8')
    .split(/\r?\n\r?\n/)
    .map(dataOf)
    .filter(isJsonObject);
}

function dataOf(frame: string): unknown {
  const lines = frame.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  const data = lines.map((line) => line.slice(5).trimStart()).join('\n');
  return data === '' || data.startsWith('[DONE]') ? undefined : JSON.parse(data);
}
