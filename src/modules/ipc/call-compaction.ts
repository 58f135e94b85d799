import { type ChatRequest, type Exchange, hasCompaction, type Kit, type Message } from '../../module-api.ts';
import { shrinkBigResults } from './big-results.ts';
import { clientEditsOf } from './client-edits.ts';
import { goalCharsOf, noticeClientCompaction, type UnchangedReason } from './compaction-policy.ts';
import { ConversationCompaction } from './conversation-compaction.ts';
import { type CallSize, type ConversationCosts, loadCosts, noCosts } from './conversation-costs.ts';
import { charsPerToken, costTrackingShare, rejectedShare, writeAheadShare } from './limits.ts';
import { fitNewestTurn } from './newest-turn.ts';
import { archiveLater } from './omitted-messages.ts';
import type { IpcOptions } from './options.ts';
import { RecordWriter } from './record-writer.ts';
import { fixedCharsOf, RequestRenderer } from './request-renderer.ts';
import { charsOf } from './text/blocks.ts';
import { sum, type View, type ViewStore } from './view.ts';
import { windowCharsOf } from './window.ts';

export interface CallCompactionParts {
  readonly exchange: Exchange;
  readonly kit: Kit<IpcOptions>;
  readonly viewStore: ViewStore;
  /** Decision keys of the records that a model is writing. */
  readonly recordsInProgress: Set<string>;
  /** The target size of a request; undefined if unknown. */
  readonly targetChars: number | undefined;
  /** Whether the conversation is compacted only if the context window requires it. */
  readonly isLeftAlone: boolean;
}

/** The first attempt of a call, which the provider rejected as too long. */
export interface RejectedAttempt {
  /** The provider's error. */
  readonly failure: unknown;
  readonly chars: number;
}

interface CompactionInput {
  /** The client's request, with the gateway's part of earlier turns. */
  readonly request: ChatRequest;
  readonly rejected: RejectedAttempt | undefined;
  addRecallTool(request: ChatRequest): ChatRequest;
}

/** How a conversation is sent in one attempt. */
export interface CompactionOutcome {
  /** The request to send. */
  readonly request: ChatRequest;
  /** Why the request is sent unchanged; undefined if it is changed. */
  readonly unchangedReason: UnchangedReason | undefined;
  /** The exchange with the original messages. */
  readonly incoming: Exchange;
  /** The view that replaces older messages, if any. */
  readonly view?: View | undefined;
  readonly costs: ConversationCosts;
  /** Undefined for a request whose costs are not tracked. */
  readonly size?: CallSize;
}

/** Shrinks big tool results, and compacts the conversation if it is above its goal. */
export async function compactRequest(
  parts: CallCompactionParts,
  { request, rejected, addRecallTool }: CompactionInput,
): Promise<CompactionOutcome> {
  const { exchange, kit, targetChars, isLeftAlone } = parts;
  const incoming = request === exchange.request ? exchange : exchange.with({ request });
  const archive = (ref: string, message: Message) =>
    archiveLater([{ ref, content: [message] }], exchange, kit);
  const shrunk = isLeftAlone ? request.messages : await shrinkBigResults(incoming, kit.decisions, archive);
  const fixedChars = fixedCharsOf(request);
  const { messages, isCut } = await fitNewestTurn(incoming, {
    decisionLog: kit.decisions,
    messages: shrunk,
    fixedChars,
    roomChars:
      rejected === undefined ? windowCharsOf(exchange, kit, noCosts) : rejected.chars * rejectedShare,
    isRefused: rejected !== undefined,
    archive,
  });
  if (isCut) kit.note({ newest: 'cut' });
  const firstSent =
    messages === request.messages ? incoming : exchange.with({ request: { ...request, messages } });
  const renderer = new RequestRenderer({
    firstSent,
    client: exchange.request,
    fixedChars,
    targetChars: isLeftAlone ? undefined : targetChars,
    addRecallTool,
  });
  const fullChars = fixedChars + sum(request.messages.map(charsOf));
  const smallReason: UnchangedReason = targetChars === undefined ? 'window' : 'small';
  const isTracked = rejected !== undefined || fullChars >= (targetChars ?? 0) * costTrackingShare;
  if (firstSent === incoming && !isTracked)
    return { request, unchangedReason: smallReason, incoming, costs: noCosts };
  const costs = noticeClientCompaction(await loadCosts(exchange, kit), fullChars);
  if (costs.compactedAtTokens > 0 && costs.fullTokens === 0) kit.note({ client: 'compacted' });
  const isHeld = kit.options.hold === 'on' && !isLeftAlone;
  // A target that is held is in the provider's tokens.
  const estimatedTarget = targetChars !== undefined && isHeld ? targetChars / costs.ratio : targetChars;
  const goalChars = goalCharsOf(estimatedTarget, fullChars, rejected !== undefined);
  // Without a goal, only steps that the provider has forced are repeated.
  const isSmall =
    goalChars === undefined ? await kit.decisions.isEmpty() : fullChars < goalChars && rejected === undefined;
  if (!isSmall && request.messages.some(hasCompaction))
    return { request: firstSent.request, unchangedReason: 'compacted-by-provider', incoming, costs };

  const call = { incoming, firstSent, renderer, costs, rejected, isHeld, isNewestCut: isCut };
  const compacted = isSmall
    ? { sent: renderer.render(undefined), isStep: false, costs, unchangedReason: smallReason }
    : await new ConversationCompaction({ ...parts, ...call, goalChars: goalChars ?? Infinity }).compact();
  const { sent, isStep } = compacted;
  if (
    goalChars !== undefined &&
    !isLeftAlone &&
    (isSmall ? fullChars : sent.chars) > goalChars * writeAheadShare
  )
    await new RecordWriter(parts).writeLater(incoming, sent.view);
  const clientEdits = clientEditsOf(exchange.request, costs.ratio);
  const size: CallSize = {
    sentTokens: sent.chars / charsPerToken,
    fullTokens: fullChars / charsPerToken,
    clearedByWeir: sent.clearedChars / charsPerToken,
    clearedByClient: clientEdits.clearedChars / charsPerToken,
    unchangedTokens: (fixedChars + clientEdits.unchangedChars) / charsPerToken,
    isWarm: !kit.prefix.isBreak,
    isStep,
  };
  const isUnchanged = sent.chars === fullChars;
  if (!isUnchanged) kit.note({ tokens: `${Math.round(size.sentTokens)}/${Math.round(size.fullTokens)}` });
  return {
    request: sent.request,
    unchangedReason: isUnchanged ? compacted.unchangedReason : undefined,
    incoming,
    view: sent.view,
    costs: compacted.costs,
    size,
  };
}
