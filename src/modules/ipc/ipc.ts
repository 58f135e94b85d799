import {
  type Attempt,
  abstains,
  type Exchange,
  formatUsd,
  GatewayError,
  type Handler,
  hasFormatOnlyFields,
  type Kit,
  type ModuleFactory,
  type NanoUsd,
  type Reply,
  withTools,
} from '../../module-api.ts';
import { hasBigResult } from './big-results.ts';
import {
  type CallCompactionParts,
  type CompactionOutcome,
  compactRequest,
  type RejectedAttempt,
} from './call-compaction.ts';
import { reportedClearedTokens } from './client-edits.ts';
import { addCall, type CallSize, type ConversationCosts, storeCosts } from './conversation-costs.ts';
import { bigResultChars, charsPerToken, costTrackingShare } from './limits.ts';
import { findByRef } from './omitted-messages.ts';
import { type IpcOptions, ipcOptions } from './options.ts';
import { recallTool } from './recall.ts';
import { contextEditingOf } from './tool-result-clearing.ts';
import { ViewStore } from './view.ts';
import { targetCharsOf } from './window.ts';

type IpcKit = Kit<IpcOptions>;

const name = 'ipc';

/** Compacts long conversations: shortens older turns, in steps that pay off. */
export const ipc: ModuleFactory<IpcOptions> = () => {
  const viewStore = new ViewStore();
  const recordsInProgress = new Set<string>();

  return {
    api: 1,
    name,
    summary: 'Compresses old turns by age, so that a conversation never runs out of room.',
    status: 'production',
    protective: false,
    order: 50,
    shortens: true,
    ifBroken: 'skip',
    touches: ['tools', 'history', 'newest-turn', 'output-limit', 'settings', 'reply'],
    options: ipcOptions,

    async handle(exchange, next, kit) {
      const targetChars = targetCharsOf(exchange, kit);
      const least = Math.min(bigResultChars, (targetChars ?? bigResultChars) / 2);
      const isSmall = exchange.clientRequest.bytes.byteLength < least;
      if (isSmall || hasFormatOnlyFields(exchange)) {
        kit.note({ aside: isSmall ? 'small' : 'request-fields' });
        return next(exchange);
      }
      const isLeftAlone = mayCompact(exchange, targetChars) && (await abstains(exchange, name, kit));
      return sendCompacted({ exchange, kit, viewStore, recordsInProgress, targetChars, isLeftAlone }, next);
    },
  };
};

/** Whether the request is long enough to be changed, now or soon. */
function mayCompact({ clientRequest, request }: Exchange, targetChars = Number.POSITIVE_INFINITY): boolean {
  return (
    clientRequest.bytes.byteLength >= targetChars * costTrackingShare || request.messages.some(hasBigResult)
  );
}

/** Sends the compacted request, and compacts it once more if the provider rejects it as too long. */
async function sendCompacted(parts: CallCompactionParts, next: Handler): Promise<Reply> {
  const { exchange, kit } = parts;
  const outcomes: CompactionOutcome[] = [];
  const recall = recallTool({
    allMessages: () => outcomes.at(-1)?.incoming.request.messages ?? [],
    findByRef(ref) {
      const outcome = outcomes.at(-1);
      return outcome === undefined ? undefined : findByRef(outcome.incoming, outcome.view, ref);
    },
  });
  let reportedCleared = 0;
  const attempt = (rejected?: RejectedAttempt) =>
    withTools([recall], {
      exchange,
      async next(outgoing) {
        const reply = await next(outgoing);
        if (outgoing.request.context_management === undefined || reportedCleared > 0) return reply;
        return reply.tap((event) => {
          reportedCleared ||= reportedClearedTokens(event);
        }, 'milestones');
      },
      kit,
      async arrange(request, addRecallTool) {
        const outcome = await compactRequest(parts, { request, rejected, addRecallTool });
        outcomes.push(outcome);
        return outcome.request;
      },
    });
  const reply = await attempt().catch((failure: unknown) => {
    const outcome = outcomes.at(-1);
    if (outcome === undefined || !isContextLengthError(failure) || !canCompact(outcome, kit)) throw failure;
    const chars = (outcome.size?.sentTokens ?? Number.POSITIVE_INFINITY) * charsPerToken;
    return attempt({ failure, chars });
  });
  const outcome = outcomes.at(-1);
  if (outcome?.unchangedReason !== undefined && !parts.isLeftAlone)
    kit.note({ aside: outcome.unchangedReason });
  if (outcome?.size !== undefined)
    recordCosts(exchange, kit, { ...outcome, size: outcome.size, reportedCleared: () => reportedCleared });
  return reply;
}

/** In a tool loop with thinking, only the provider can leave out content. */
function canCompact({ incoming }: CompactionOutcome, kit: IpcKit): boolean {
  return !kit.prefix.isThinking || contextEditingOf(incoming, kit) !== undefined;
}

function isContextLengthError(failure: unknown): boolean {
  return GatewayError.is(failure) && failure.details.providerCode === 'context_length_exceeded';
}

interface BilledCall {
  readonly costs: ConversationCosts;
  readonly size: CallSize;
  /** The tokens that the provider reported as cleared. */
  reportedCleared(): number;
}

/** Updates the costs of the conversation when the call is billed. */
function recordCosts(
  exchange: Exchange,
  kit: IpcKit,
  { costs: before, size, reportedCleared }: BilledCall,
): void {
  const card = kit.catalog.priceOf(exchange.target)?.card;
  if (card === undefined) return;
  kit.onBilled((attempts) => {
    const costs = addCall(before, attempts, { ...size, card, reportedCleared: reportedCleared() });
    const saved = Math.round(costs.without - costs.spent - (before.without - before.spent));
    if (size.fullTokens !== size.sentTokens || costs.spent !== costs.without) {
      kit.note({ saved: formatUsd(saved), usd: `${dollars(costs.spent)}/${dollars(costs.without)}` });
      kit.addSaving(saved + sideCallCostOf(attempts));
    }
    kit.runInBackground(() => storeCosts(costs, exchange, kit));
  });
}

/** The cost of the module's own calls, which is deducted from the savings where they are billed. */
function sideCallCostOf(attempts: readonly Attempt[]): NanoUsd {
  return attempts.reduce((sum, { isModuleCall, bill }) => sum + (isModuleCall ? (bill?.nanoUsd ?? 0) : 0), 0);
}

function dollars(nano: NanoUsd): string {
  return formatUsd(Math.round(nano));
}
