import type { Clock } from './clock.ts';
import type { Exchange } from './exchange.ts';
import type { JsonObject } from './json.ts';
import type { Prices } from './ports/prices.ts';
import type { Purse } from './ports/purse.ts';
import type { Shelf } from './ports/shelves.ts';
import type { Recording } from './reply/recording.ts';
import type { Reply } from './reply/reply.ts';
import type { Facts } from './trace.ts';

export type Handler = (exchange: Exchange) => Promise<Reply>;

/** What may happen to a call: one function around `next`, written once for streamed and unstreamed calls. */
export interface Module<Options = unknown> {
  /** Kebab-case: the name in pipelines, in traces and in the docs. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  readonly version?: string;
  readonly status: 'production' | 'preview';
  /** Set by a key or the environment, a request's header can't remove it. */
  readonly protective: boolean;
  /** What happens to the call when the module itself fails. */
  readonly ifBroken: 'skip' | 'reject';
  /** Where it goes that a key or the environment set, whatever a request's list says: outside of the list, or next to the provider. */
  readonly place?: 'innermost';
  /** What it may edit. */
  readonly touches: readonly ('tools' | 'system' | 'history' | 'newest-turn' | 'output-limit' | 'reply')[];
  /** Reads the options of a pipeline list, which arrive as strings. */
  readonly options: StandardSchema<Options>;
  /** For a protective module that several levels set: options that are as strict as each of these. */
  strictest?(levels: readonly Options[]): Options;
  /** Whether it does nothing with these options; it is then left out of the call, but not of the lists. */
  idle?(options: Options): boolean;
  handle(exchange: Exchange, next: Handler, kit: Kit<Options>): Promise<Reply>;
}

/** What a module works with. */
export interface Kit<Options> {
  readonly options: Options;
  /** This module's shelf, separate for each account. */
  readonly store: Shelf;
  readonly clock: Clock;
  readonly prices: Prices;
  /** What the caller's key may still spend. */
  readonly purse: Purse;
  /** Says something about this call in its trace. */
  note(facts: Facts): void;
  /** Tells the client something in a header of the answer: `x-weir-<name>`. */
  tell(name: string, value: string): void;
  /** Names a credential without giving it away. */
  fingerprint(exchange: Exchange): string;
  replay(recording: Recording): Reply;
}

/** The part of the Standard Schema convention (standardschema.dev) that we use: any schema library fits. */
interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** Describes the options for the docs, where the schema library can. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonObject };
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Gives a module its type without losing that of its options. */
export function defineModule<Options>(module: Module<Options>): Module<Options> {
  return module;
}
