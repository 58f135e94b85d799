import type { Usage } from '../kernel/message.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import type { Step } from '../kernel/trace.ts';

/** What is known of a call when it has ended. */
export interface EndedCall {
  readonly id: string;
  readonly accountId: string;
  /** Undefined where no key was used. */
  readonly keyId: string | undefined;
  /** The module whose own question it was; left out where a client asked. */
  readonly askedBy?: string | undefined;
  readonly modelAsked: string;
  /** Undefined, like the provider, where it was not known what to ask. */
  readonly modelUsed: string | undefined;
  readonly provider: string | undefined;
  readonly wire: string;
  /** Undefined where no provider was asked over the network. */
  readonly providerWire: string | undefined;
  readonly streamed: boolean;
  readonly status: number;
  readonly ending: Ending['how'];
  readonly errorCode: string | undefined;
  readonly usage: Usage;
  /** Undefined where nobody knows what the call cost. */
  readonly costNanoUsd: NanoUsd | undefined;
  readonly costEstimated: boolean;
  /** What the call would have cost without a cache. */
  readonly savedNanoUsd: NanoUsd;
  readonly contentMs: number | undefined;
  readonly totalMs: number;
  readonly overheadMs: number;
  /** When the call left for the provider that answered, had a connection, and saw the first of the answer. */
  readonly leftMs?: number | undefined;
  readonly connectedMs?: number | undefined;
  readonly headMs?: number | undefined;
  /** Names of fields that were left out on the way to the provider, and of headers that were added to the answer. */
  readonly leftOut?: readonly string[];
  readonly headersAdded?: readonly string[];
  readonly pipeline: string;
  readonly steps: readonly Step[];
}
