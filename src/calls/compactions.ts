import type { Sealer } from '../accounts/sealer.ts';
import { scopeOf } from '../kernel/caller.ts';
import type { Compaction } from '../kernel/compaction.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import type { Reply } from '../kernel/reply/reply.ts';
import { insistOnSummary, sealSummary } from './summaries.ts';

interface PreparedCall {
  readonly exchange: Exchange;
  /** Set if the call asks for a compaction. */
  readonly compaction: Compaction | undefined;
}

/** Makes compactions for clients whose model's provider has none, and opens them when they come back. */
export class Compactions {
  readonly #sealer: Sealer;

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /** Opens the compactions of a call, and finds out whether it asks for another; `whole` has its earlier turns. */
  prepare(whole: Exchange, { clientRequest }: Exchange): PreparedCall {
    const { compaction } = clientRequest.wire;
    const isConcerned = compaction?.mayConcern(clientRequest) === true;
    return {
      exchange: isConcerned || !whole.isUnmodified ? this.open(whole) : whole,
      compaction: isConcerned && compaction.isRequested(clientRequest) ? compaction : undefined,
    };
  }

  /** The exchange with the summaries of the gateway's own compactions in the place of these. */
  open(exchange: Exchange): Exchange {
    const { request, caller, clientRequest } = exchange;
    const opened = clientRequest.wire.compaction?.openAll(request, (sealed) =>
      this.#unseal(sealed, scopeOf(caller)),
    );
    return opened === undefined || opened === request ? exchange : exchange.with({ request: opened });
  }

  /** Asks models for a summary whose providers don't make compactions. */
  before(upstream: Handler, compaction: Compaction): Handler {
    return async (exchange) => {
      if (compaction.isMadeBy(exchange.target)) return upstream(exchange);
      const request = compaction.askForSummary(exchange.request);
      const reply = await upstream(exchange.with({ request }));
      return reply.through((events) =>
        insistOnSummary(events, () =>
          upstream(exchange.with({ request: { ...request, tool_choice: { type: 'none' } } })),
        ),
      );
    };
  }

  /** The reply with a summary as a sealed compaction. */
  seal(reply: Reply, exchange: Exchange, compaction: Compaction): Reply {
    const { id, trace, caller, request } = exchange;
    if (compaction.isMadeBy(trace.answeredBy ?? exchange.target)) return reply;
    return reply.through((events) =>
      sealSummary(events, {
        retained: compaction.retainedItems(request, id).map(compaction.toBlock),
        announced: compaction.toBlock(compaction.item(id)),
        progress: compaction.progress,
        seal: (summary) => compaction.item(id, this.#seal(summary, scopeOf(caller))),
      }),
    );
  }

  #seal(summary: string, scope: string): string {
    const { sealedBy, sealed } = this.#sealer.seal(summary, scope);
    return `${sealedBy}.${Buffer.from(sealed).toString('base64url')}`;
  }

  #unseal(text: string, scope: string): string {
    const [sealedBy = '', sealed = ''] = text.split('.');
    const summary = this.#sealer.open({ sealedBy, sealed: Buffer.from(sealed, 'base64url') }, scope);
    if (summary !== undefined) return summary;
    throw new GatewayError(
      'invalid_request',
      'a compaction item was made for another account, or with a secret that is no longer in use, or is damaged; remove it from the input',
      { param: 'input' },
    );
  }
}
