import type { JsonObject } from '../../../../src/lib/json.ts';
import type { Call } from '../facts.ts';

/** What a request says, whatever the format it says it in. */
export interface RequestOutline {
  readonly system: readonly string[];
  /** By turns of the two sides; what tools returned is on the user's. */
  readonly turns: readonly Turn[];
  readonly tools: readonly ToolDeclaration[];
  readonly settings: Settings;
  /** Fields, tools and kinds of content that other formats don't have, by name. */
  readonly others: readonly string[];
  /** Whether parts of it are marked to be cached. */
  readonly cached: boolean;
  /** Where its format demands that the user has the first turn. */
  readonly userFirst?: 'always' | 'before calls';
}

export interface Turn {
  readonly side: 'user' | 'assistant';
  readonly texts: string[];
  readonly thoughts: string[];
  /** Thoughts that only their maker can read. */
  readonly secrets: string[];
  readonly calls: Call[];
  readonly results: Result[];
  readonly media: Media[];
}

interface Result {
  readonly id: string;
  readonly texts: readonly string[];
  readonly failed: boolean;
}

export interface Media {
  readonly kind: 'image' | 'document';
  /** Base64, an address, or the id of a file. */
  readonly data: string;
  /** Empty where it isn't said. */
  readonly type: string;
}

export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  readonly strict: boolean;
  /** Of schemas no more is the same than what they have at the top: references may be written out. */
  readonly isRewritten?: boolean;
}

export interface Settings {
  readonly limit: number | undefined;
  readonly stop: readonly string[];
  readonly temperature: number | undefined;
  readonly top_p: number | undefined;
  readonly top_k: number | undefined;
  /** `auto`, `none`, `required`, or `tool:` and a name. */
  readonly choice: string | undefined;
  readonly oneCallAtMost: boolean;
  readonly thinking: 'on' | 'off' | undefined;
  /** A schema, or `json_object`. */
  readonly format: unknown;
  readonly user: string | undefined;
}

/** Gathers turns: what follows on the same side belongs to the same one. */
export class Turns {
  readonly #turns: Turn[] = [];

  /** Whether anything was said yet. */
  get begun(): boolean {
    return this.#turns.some((turn) => !isEmpty(turn));
  }

  of(side: Turn['side']): Turn {
    const last = this.#turns.at(-1);
    if (last?.side === side) return last;
    const turn: Turn = { side, texts: [], thoughts: [], secrets: [], calls: [], results: [], media: [] };
    this.#turns.push(turn);
    return turn;
  }

  /** Turns that say something; those around one that doesn't are one. */
  said(): readonly Turn[] {
    const joined = new Turns();
    for (const turn of this.#turns) {
      const { texts, thoughts, secrets, calls, results, media } = turn;
      if (isEmpty(turn)) continue;
      const into = joined.of(turn.side);
      into.texts.push(...texts.filter((text) => text !== ''));
      into.thoughts.push(...thoughts);
      into.secrets.push(...secrets);
      into.calls.push(...calls);
      into.results.push(...results);
      into.media.push(...media);
    }
    return joined.#turns;
  }
}

function isEmpty({ texts, calls, results, media }: Turn): boolean {
  return [texts.filter((text) => text !== ''), calls, results, media].every((list) => list.length === 0);
}

/** Names of the fields that are set and that nobody reads here. */
export function unread(body: JsonObject, read: ReadonlySet<string>, prefix = ''): readonly string[] {
  const set = Object.entries(body).filter(([, value]) => says(value));
  return set.flatMap(([field]) => (read.has(field) ? [] : [prefix + field]));
}

function says(value: unknown): boolean {
  return value != null && value !== false && !(Array.isArray(value) && value.length === 0);
}

/** Text in a file is text: formats that take no files get it as such. */
export function textInside({ type, data }: Media): string | undefined {
  return type.startsWith('text/') ? Buffer.from(data, 'base64').toString('utf8') : undefined;
}

/** What a tool returned, in formats that have no field for its failure. */
export function resultOf(id: unknown, texts: readonly string[]): Result {
  const failed = texts[0]?.startsWith(failureMark) === true;
  const [first = '', ...rest] = texts;
  return {
    id: String(id),
    failed,
    texts: failed ? [first.slice(failureMark.length).trimStart(), ...rest] : texts,
  };
}

const failureMark = '[tool error]';

/** An address, or the bytes that a `data:` one carries. */
export function mediaAt(kind: Media['kind'], url: string): Media {
  const [, type = '', data] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(url) ?? [];
  return data === undefined ? { kind, type: '', data: url } : { kind, type, data };
}
