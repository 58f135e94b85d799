import {
  type Attempt,
  type ChatRequest,
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
import { CallCompaction } from './call-compaction.ts';
import { addCall, type CallSize, storeCosts } from './conversation-costs.ts';
import { bigResultChars } from './limits.ts';
import { type IpcOptions, ipcOptions } from './options.ts';
import { recallTool } from './recall.ts';
import { ViewStore } from './view.ts';
import { targetCharsOf } from './window.ts';

type IpcKit = Kit<IpcOptions>;

/** Compacts long conversations: shortens older turns, in steps that pay off. */
export const ipc: ModuleFactory<IpcOptions> = () => {
  const viewStore = new ViewStore();
  const recordsInProgress = new Set<string>();

  async function answered(
    exchange: Exchange,
    next: Handler,
    { kit, targetChars }: { readonly kit: IpcKit; readonly targetChars: number | undefined },
  ): Promise<Reply> {
    const callCompaction = new CallCompaction({
      exchange,
      kit,
      viewStore,
      recordsInProgress,
      targetChars,
    });
    const asking = {
      exchange,
      next,
      kit,
      arrange: (request: ChatRequest, offer: (request: ChatRequest) => ChatRequest) =>
        callCompaction.compactRequest(request, offer),
    };
    const tool = recallTool({
      allMessages: () => callCompaction.originalMessages,
      findByRef: (ref) => callCompaction.findOriginal(ref),
    });
    let reply: Reply;
    try {
      reply = await withTools([tool], asking);
    } catch (failure) {
      if (!isContextLengthError(failure) || !callCompaction.prepareRetry(failure)) throw failure;
      reply = await withTools([tool], asking);
    }
    const { size, unchangedReason } = callCompaction;
    if (unchangedReason !== undefined) kit.note({ aside: unchangedReason });
    if (size !== undefined) recordCosts(exchange, size, { arranging: callCompaction, kit });
    return reply;
  }

  return {
    api: 1,
    name: 'ipc',
    summary: 'Compresses old turns by age, so that a conversation never runs out of room.',
    status: 'production',
    protective: false,
    order: 50,
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
      return answered(exchange, next, { kit, targetChars });
    },
  };
};

function isContextLengthError(failure: unknown): boolean {
  return GatewayError.is(failure) && failure.details.providerCode === 'context_length_exceeded';
}

/** Updates the costs of the conversation when the call is billed. */
function recordCosts(
  exchange: Exchange,
  callSize: CallSize,
  { arranging: callCompaction, kit }: { readonly arranging: CallCompaction; readonly kit: IpcKit },
): void {
  const card = kit.catalog.priceOf(exchange.target)?.card;
  if (card === undefined) return;
  kit.onBilled((attempts) => {
    const before = callCompaction.costs;
    const conversationCosts = addCall(before, attempts, { ...callSize, card });
    const saved = Math.round(
      conversationCosts.without - conversationCosts.spent - (before.without - before.spent),
    );
    if (
      callSize.fullTokens !== callSize.sentTokens ||
      conversationCosts.spent !== conversationCosts.without
    ) {
      kit.note({
        saved: formatUsd(saved),
        usd: `${dollars(conversationCosts.spent)}/${dollars(conversationCosts.without)}`,
      });
      kit.addSaving(saved + sideCallCostOf(attempts));
    }
    kit.runInBackground(() => storeCosts(conversationCosts, exchange, kit));
  });
}

/** The cost of the module's own calls, which is deducted from the savings where they are billed. */
function sideCallCostOf(attempts: readonly Attempt[]): NanoUsd {
  return attempts.reduce((sum, { isModuleCall, bill }) => sum + (isModuleCall ? (bill?.nanoUsd ?? 0) : 0), 0);
}

function dollars(nano: NanoUsd): string {
  return formatUsd(Math.round(nano));
}
