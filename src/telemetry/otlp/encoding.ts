import type { MetricData } from './metric-data.ts';
import type { Attributes, Span } from './span.ts';

/** Describes the process that exports. */
export interface Origin {
  readonly resource: Attributes;
  /** The version of the gateway. */
  readonly version: string;
}

/** One of the two forms of OTLP over HTTP. */
export interface OtlpEncoding {
  readonly contentType: string;
  createSpanBatch(): SpanBatch;
  encodeMetrics(metrics: readonly MetricData[]): Uint8Array;
  /** What the collector did not accept of an export that it confirmed. */
  readPartialSuccess(response: Uint8Array): PartialSuccess | undefined;
}

/** Spans are encoded when they are added: what a call refers to is freed when it ends. */
export interface SpanBatch {
  readonly count: number;
  readonly bytes: number;
  add(span: Span): void;
  /** Valid until `release`. */
  encode(): Uint8Array;
  /** Ends the use of a batch that was sent: the next one takes its memory. */
  release(): void;
}

export interface PartialSuccess {
  /** The number of rejected spans or data points; 0 for a warning. */
  readonly rejected: number;
  readonly message: string;
}

/** The name of the code that makes the spans and metrics. */
export const scopeName = 'weir-gateway';
