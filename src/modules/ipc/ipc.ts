import {
  type Attempt,
  type ChatRequest,
  type Exchange,
  formatUsd,
  GatewayError,
  type Handler,
  isBeyondUs,
  type Kit,
  type ModuleMaker,
  type NanoUsd,
  type Reply,
  withTools,
} from '../../module-api.ts';
import { Arranging } from './arranging.ts';
import { bigResultChars } from './limits.ts';
import { type IpcOptions, ipcOptions } from './options.ts';
import { recallTool } from './recall.ts';
import { Views } from './view.ts';
import { targetCharsOf } from './window.ts';
import { addedTo, remember, type Sized } from './worth.ts';

type IpcKit = Kit<IpcOptions>;

/** Makes room in long conversations: what is old is sent shorter, in steps that pay. */
export const ipc: ModuleMaker<IpcOptions> = () => {
  const views = new Views();
  const underway = new Set<string>();

  async function answered(
    exchange: Exchange,
    next: Handler,
    { kit, targetChars }: { readonly kit: IpcKit; readonly targetChars: number | undefined },
  ): Promise<Reply> {
    const arranging = new Arranging({
      exchange,
      kit,
      views,
      underway,
      targetChars,
    });
    const asking = {
      exchange,
      next,
      kit,
      arrange: (request: ChatRequest, offer: (request: ChatRequest) => ChatRequest) =>
        arranging.arranged(request, offer),
    };
    const tool = recallTool({ whole: () => arranging.whole, named: (ref) => arranging.named(ref) });
    let reply: Reply;
    try {
      reply = await withTools([tool], asking);
    } catch (failure) {
      if (!isTooLong(failure) || !arranging.mayGoFurther(failure)) throw failure;
      reply = await withTools([tool], asking);
    }
    const { sized, aside } = arranging;
    if (aside !== undefined) kit.note({ aside });
    if (sized !== undefined) reckon(exchange, sized, { arranging, kit });
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
      const isSmall = exchange.received.bytes.byteLength < least;
      if (isSmall || isBeyondUs(exchange)) {
        kit.note({ aside: isSmall ? 'small' : 'request-fields' });
        return next(exchange);
      }
      return answered(exchange, next, { kit, targetChars });
    },
  };
};

function isTooLong(failure: unknown): boolean {
  return GatewayError.is(failure) && failure.details.toldCode === 'context_length_exceeded';
}

/** Says at once what is sent, and what it came to when that is known. */
function reckon(
  exchange: Exchange,
  sized: Sized,
  { arranging, kit }: { readonly arranging: Arranging; readonly kit: IpcKit },
): void {
  const card = kit.catalog.priced(exchange.target)?.card;
  if (card === undefined) return;
  kit.whenPaid((attempts) => {
    const before = arranging.worth;
    const worth = addedTo(before, attempts, { ...sized, card });
    const saved = Math.round(worth.without - worth.spent - (before.without - before.spent));
    if (sized.fullTokens !== sized.sentTokens || worth.spent !== worth.without) {
      kit.note({ saved: formatUsd(saved), usd: `${dollars(worth.spent)}/${dollars(worth.without)}` });
      kit.saved(saved + spentAside(attempts));
    }
    kit.later(() => remember(worth, exchange, kit));
  });
}

/** What is taken off by itself where it is billed. */
function spentAside(attempts: readonly Attempt[]): NanoUsd {
  return attempts.reduce((sum, { isAside, bill }) => sum + (isAside ? (bill?.nanoUsd ?? 0) : 0), 0);
}

function dollars(nano: NanoUsd): string {
  return formatUsd(Math.round(nano));
}
