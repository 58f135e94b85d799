import { limits as kernelLimits } from '../../kernel/limits.ts';
import { readUnits } from '../../kernel/ports/logged-call-parts.ts';
import type { LoggedAttempt, LoggedCall, LoggedChange, LoggedStep } from '../../kernel/ports/request-log.ts';
import { timeOfId } from '../../kernel/request-id.ts';
import { storableChange, storableFigure, storableText } from '../../kernel/storable.ts';
import { noTags } from '../../kernel/tags.ts';
import type { Attributes, Step } from '../../kernel/trace.ts';
import type { EndedAttempt, EndedCall } from '../ended-call.ts';
import { limits } from '../limits.ts';

/** Converts a call to a storable form: clients, providers and modules may supply invalid values. */
export function toLoggedCall(call: EndedCall, weight = 1): LoggedCall {
  const { usage, steps } = call;
  return {
    id: call.id,
    atMs: timeOfId(call.id),
    accountId: call.accountId,
    keyId: call.keyId ?? null,
    askedBy: call.askedBy ?? null,
    modelAsked: storableModelName(call.modelAsked),
    modelUsed: call.modelUsed === undefined ? null : storableModelName(call.modelUsed),
    provider: call.provider ?? null,
    wire: call.wire,
    providerWire: call.providerWire ?? null,
    streamed: call.streamed,
    status: call.status,
    ending: call.ending,
    errorCode: call.errorCode ?? null,
    providerError: call.providerError ?? null,
    errorMessage: call.errorMessage === undefined ? null : storableMessage(call.errorMessage),
    providerRequestId: call.providerRequestId ?? null,
    stopReason: call.stopReason === undefined ? null : truncateText(call.stopReason),
    inputTokens: storableFigure(usage.input_tokens) ?? null,
    outputTokens: storableFigure(usage.output_tokens) ?? null,
    cacheReadTokens: storableFigure(usage.cache_read_input_tokens) ?? null,
    cacheWriteTokens: storableFigure(usage.cache_creation_input_tokens) ?? null,
    reasoningTokens: storableFigure(usage.output_tokens_details?.thinking_tokens) ?? null,
    units: usage.units === undefined ? null : readUnits(usage.units),
    costNanoUsd: storableFigure(call.costNanoUsd) ?? null,
    costEstimated: call.costEstimated,
    savedNanoUsd: storableChange(call.savedNanoUsd) ?? 0,
    contentMs: call.contentMs ?? null,
    totalMs: call.totalMs,
    overheadMs: call.overheadMs,
    leftMs: call.leftMs ?? null,
    connectedMs: call.connectedMs ?? null,
    headMs: call.headMs ?? null,
    pipeline: storableText(call.pipeline, limits.requestLogPipelineCharacters),
    steps: steps.length === 0 ? none : steps.slice(0, limits.requestLogStepsMax).map(toLoggedStep),
    changes: changesOf(call),
    attempts:
      call.attempts === undefined
        ? none
        : call.attempts.slice(0, limits.requestLogAttemptsMax).map(toLoggedAttempt),
    agent: call.agent ?? null,
    client: call.client ?? null,
    conversation: call.conversation ?? null,
    parentConversation: call.parentConversation ?? null,
    turn: call.turn ?? null,
    endUser: call.endUser ?? null,
    tags: call.tags ?? noTags,
    weight,
  };
}

const none: readonly never[] = [];

function changesOf({ leftOut = none, headersAdded = none }: EndedCall): readonly LoggedChange[] {
  if (leftOut.length === 0 && headersAdded.length === 0) return none;
  return [
    ...leftOut.map((name) => ({ what: 'left-out' as const, name: truncateText(name) })),
    ...headersAdded.map((name) => ({ what: 'header' as const, name: truncateText(name) })),
  ].slice(0, limits.requestLogChangesMax);
}

function truncateText(text: string): string {
  return storableText(text, limits.requestLogAttributeCharacters);
}

function storableMessage(message: string): string {
  return storableText(message, limits.requestLogMessageCharacters);
}

function storableModelName(name: string): string {
  return storableText(name, kernelLimits.modelNameMax);
}

function toLoggedAttempt({ attempt, errorCode, ...times }: EndedAttempt): LoggedAttempt {
  const { target, askedBy, ending, usage, bill } = attempt;
  return {
    provider: target.provider.name,
    model: storableModelName(target.model),
    askedBy: askedBy ?? null,
    ending: ending?.how ?? 'aborted',
    errorCode: errorCode ?? null,
    startedMs: rounded(times.startedMs),
    leftMs: roundedOrNull(times.leftMs),
    connectedMs: roundedOrNull(times.connectedMs),
    headMs: roundedOrNull(times.headMs),
    contentMs: roundedOrNull(times.contentMs),
    endedMs: rounded(times.endedMs),
    inputTokens: storableFigure(usage.input_tokens) ?? null,
    outputTokens: storableFigure(usage.output_tokens) ?? null,
    costNanoUsd: storableFigure(bill?.nanoUsd) ?? null,
  };
}

/** Rounds to the precision of the log. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function roundedOrNull(ms: number | undefined): number | null {
  return ms === undefined ? null : rounded(ms);
}

function toLoggedStep({ module, effect, ownMs, attributes, savedNanoUsd }: Step): LoggedStep {
  const step = { module, effect, ms: rounded(ownMs), facts: storableAttributes(attributes) };
  const saved = savedNanoUsd === 0 ? undefined : storableChange(savedNanoUsd);
  return saved === undefined ? step : { ...step, savedNanoUsd: saved };
}

/** Returns the same object if nothing changes, which is nearly always. */
function storableAttributes(facts: Attributes): Attributes {
  let count = 0;
  for (const name in facts)
    if (++count > limits.requestLogAttributesMax || !isStorable(name, facts[name]))
      return truncateAttributes(facts);
  return facts;
}

function isStorable(name: string, fact: Attributes[string] | undefined): boolean {
  return isShort(name) && (typeof fact === 'string' ? isShort(fact) : fact === true || Number.isFinite(fact));
}

function isShort(text: string): boolean {
  return truncateText(text) === text;
}

function truncateAttributes(facts: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(facts)
      .slice(0, limits.requestLogAttributesMax)
      .map(([name, fact]) => [truncateText(name), fact === true ? fact : truncateText(String(fact))]),
  );
}
