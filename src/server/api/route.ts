import type { z } from 'zod';
import type { HeaderList } from '../../kernel/headers.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { AccessChecks, AccessName } from './access.ts';

/** A route of our own: JSON in, JSON out. One entry serves it and documents it. */
export interface ApiRoute {
  readonly kind: 'own';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters as `:name`, a rest with its slashes as `*`, or as `*name`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** Who may call, where the route is one of those that check it; see `checkedRoute`. */
  readonly access?: AccessName;
  /** What the query may say, by name: in words, or as it is checked. */
  readonly query?: Readonly<Record<string, string | z.ZodType>>;
  /** The JSON that it takes. */
  readonly body?: BodyDescription;
  /** Left out of the description of the service: it only refuses. */
  readonly hidden?: true;
  /** How much it takes, where that is more than most routes do. */
  readonly bodyBytesMax?: number;
  /** What it answers with, by status. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** Whose names its errors have, where that isn't the gateway's own way. */
  errorFormat?(headers: HeaderList): WireFormat;
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse>;
}

/** A route of the data plane, which answers before anything else of the server is asked. */
export interface InferenceRoute {
  readonly kind: 'inference';
  readonly method: 'POST';
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly wire: WireFormat;
  /** What is to be paid for a call, where it is paid for by itself. */
  readonly payment?: PaymentInfo;
  /** The JSON that it takes, where that isn't the format's own. */
  readonly body?: BodyDescription;
  /** What it answers with, where that isn't the format's own answer. */
  readonly responses?: Readonly<Record<number, ResponseDescription>>;
}

export type Route = ApiRoute | InferenceRoute;

/** As wallets look for it in the description of a service. */
interface PaymentInfo {
  readonly offers: readonly {
    readonly method: string;
    readonly intent: string;
    readonly amount: string;
    readonly currency: string;
  }[];
}

export interface BodyDescription {
  readonly schema: z.ZodType;
  /** Whether a request without a body is an error. */
  readonly required: boolean;
}

export interface ResponseDescription {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` unless said otherwise. */
  readonly contentType?: string;
  /** Headers of its own, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiRequest {
  readonly id: string;
  readonly method: string;
  readonly headers: HeaderList;
  /** With its question mark, or empty. */
  readonly query: string;
  /** Parts of the path, decoded; the rest is named `*`. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
  readonly access: AccessChecks;
  /** The whole body, read when it is asked for. */
  readBody(): Promise<Uint8Array>;
}

export interface ApiResponse {
  readonly status?: number;
  readonly headers?: HeaderList;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: object | string;
  readonly contentType?: string;
  /** Lines that are sent as they come, in one gzip archive, instead of a body. */
  readonly gzippedLines?: AsyncIterable<string>;
}
