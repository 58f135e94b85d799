import { limits } from '../../kernel/limits.ts';
import type { Usage } from '../../kernel/message.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { LoggedCall, LoggedStep } from '../../kernel/ports/request-log.ts';
import type { Ending } from '../../kernel/reply/reply.ts';
import { timeOfId } from '../../kernel/request-id.ts';
import { storableFigure, storableText } from '../../kernel/storable.ts';
import type { Facts, Step } from '../../kernel/trace.ts';

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
  readonly pipeline: string;
  readonly steps: readonly Step[];
}

/** As it can be stored: clients, providers and modules have a say in it, and any of them may say nonsense. */
export function loggedCall(call: EndedCall): LoggedCall {
  const { usage, steps } = call;
  return {
    id: call.id,
    atMs: timeOfId(call.id),
    accountId: call.accountId,
    keyId: call.keyId ?? null,
    askedBy: call.askedBy ?? null,
    modelAsked: modelName(call.modelAsked),
    modelUsed: call.modelUsed === undefined ? null : modelName(call.modelUsed),
    provider: call.provider ?? null,
    wire: call.wire,
    providerWire: call.providerWire ?? null,
    streamed: call.streamed,
    status: call.status,
    ending: call.ending,
    errorCode: call.errorCode ?? null,
    inputTokens: storableFigure(usage.input_tokens) ?? null,
    outputTokens: storableFigure(usage.output_tokens) ?? null,
    cacheReadTokens: storableFigure(usage.cache_read_input_tokens) ?? null,
    cacheWriteTokens: storableFigure(usage.cache_creation_input_tokens) ?? null,
    reasoningTokens: storableFigure(usage.output_tokens_details?.thinking_tokens) ?? null,
    costNanoUsd: storableFigure(call.costNanoUsd) ?? null,
    costEstimated: call.costEstimated,
    savedNanoUsd: storableFigure(call.savedNanoUsd) ?? 0,
    contentMs: call.contentMs ?? null,
    totalMs: call.totalMs,
    overheadMs: call.overheadMs,
    pipeline: storableText(call.pipeline, limits.requestLogPipelineCharacters),
    steps: steps.length === 0 ? none : steps.slice(0, limits.requestLogStepsMax).map(loggedStep),
  };
}

const none: readonly LoggedStep[] = [];

function modelName(name: string): string {
  return storableText(name, limits.modelNameMax);
}

function loggedStep({ module, effect, ownMs, facts }: Step): LoggedStep {
  return { module, effect, ms: Math.round(ownMs * 1000) / 1000, facts: storableFacts(facts) };
}

/** The same object where there is nothing to change, as there nearly always is. */
function storableFacts(facts: Facts): Facts {
  let count = 0;
  for (const name in facts)
    if (++count > limits.requestLogFactsMax || !isStorable(name, facts[name])) return cut(facts);
  return facts;
}

function isStorable(name: string, fact: Facts[string] | undefined): boolean {
  return isShort(name) && (typeof fact === 'string' ? isShort(fact) : fact === true || Number.isFinite(fact));
}

function isShort(text: string): boolean {
  return storableText(text, limits.requestLogFactCharacters) === text;
}

function cut(facts: Facts): Facts {
  const short = (text: string) => storableText(text, limits.requestLogFactCharacters);
  return Object.fromEntries(
    Object.entries(facts)
      .slice(0, limits.requestLogFactsMax)
      .map(([name, fact]) => [short(name), fact === true ? fact : short(String(fact))]),
  );
}
