import type { CallSpan } from '../../kernel/trace.ts';
import type { SpanReference } from '../../kernel/trace-parent.ts';
import { limits } from '../limits.ts';

/** A value of an attribute; undefined ones are left out. */
export type AttributeValue = string | number | boolean | readonly string[] | undefined;

/** Of a process or a metric. Numbers are whole and not negative: others are in `Measurements`. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Values by name, in the order in which they were added. Two lists take less time than an object with as many properties. */
export class NamedValues<Value> {
  readonly names: string[] = [];
  readonly values: Value[] = [];

  /** Leaves out a missing value. Each name is added once. */
  add(name: string, value: Value | undefined): void {
    if (value === undefined) return;
    this.names.push(name);
    this.values.push(value);
  }
}

export type SpanAttributes = NamedValues<Exclude<AttributeValue, undefined>>;

/** Attributes that are floating-point numbers, also if a value happens to be whole: backends expect one type for a name. */
export type Measurements = NamedValues<number>;

/** The numbers of OTLP. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const;

/** A span as it is exported: https://opentelemetry.io/docs/specs/otlp/. Times are microseconds since 1970. */
export interface Span extends SpanReference {
  readonly parentSpanId: string | undefined;
  readonly tracestate: string | undefined;
  /** The flags of the trace, and whether the parent is in another process. */
  readonly flags: number;
  readonly name: string;
  /** Spans of one module, or of one kind, have mostly the same attributes; few different texts. */
  readonly similar: string;
  readonly kind: number;
  readonly startUs: number;
  readonly endUs: number;
  readonly attributes: SpanAttributes;
  readonly measurements: Measurements;
  /** Texts of any length, which are not cut; undefined for none. */
  readonly content?: NamedValues<string>;
  /** What failed; undefined for a span without an error. */
  readonly error: string | undefined;
  readonly links: readonly SpanReference[];
}

/** Clients choose some of the texts. */
export function cut(text: string): string {
  return text.length > limits.otlpAttributeCharacters ? text.slice(0, limits.otlpAttributeCharacters) : text;
}

/** Those of the client, with the mark of a sampled span and the one that tells of the parent. */
export function traceFlags({ parent }: CallSpan): number {
  return (parent === undefined ? 0 : Number.parseInt(parent.flags, 16)) | 0x101;
}

export const parentIsRemote = 0x200;

export const noLinks: readonly SpanReference[] = [];
