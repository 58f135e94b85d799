import type { z } from 'zod';
import type { HeaderList } from '../kernel/headers.ts';
import type { WireFormat } from '../kernel/wire-format.ts';

/** A route of our own: JSON in, JSON out. One entry serves it and documents it. */
export interface OwnRoute {
  readonly kind: 'own';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters as `:name`, a rest as `*`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** What it answers with, by status. */
  readonly answers: Readonly<Record<number, DescribedAnswer>>;
  handle(request: OwnRequest): OwnAnswer | Promise<OwnAnswer>;
}

/** A route of the data plane, which answers before anything else of the server is asked. */
export interface InferenceRoute {
  readonly kind: 'inference';
  readonly method: 'POST';
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly wire: WireFormat;
}

export type Route = OwnRoute | InferenceRoute;

export interface DescribedAnswer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` unless said otherwise. */
  readonly type?: string;
}

export interface OwnRequest {
  readonly id: string;
  readonly headers: HeaderList;
  readonly remoteAddress: string;
}

export interface OwnAnswer {
  readonly status?: number;
  readonly headers?: HeaderList;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: object | string;
  readonly type?: string;
}
