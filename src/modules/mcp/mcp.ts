import {
  type ChatRequest,
  changesState,
  type DecisionLog,
  type Exchange,
  endUserRefOf,
  formatUsd,
  GatewayError,
  type GatewayTool,
  type Handler,
  hasFormatOnlyFields,
  isLostInRewrite,
  type Kit,
  type Module,
  withTools,
} from '../../module-api.ts';
import { approvalOf } from './approval.ts';
import { approvalPage } from './approval-page.ts';
import { approvalRoutes } from './approval-routes.ts';
import { ClientApprovals } from './client-approvals.ts';
import { toolsOfConversation } from './conversation-tools.ts';
import { KnownDefinitions, knownDefinitions } from './known-definitions.ts';
import { limits } from './limits.ts';
import { type ListedTool, listedToolOf } from './listed-tool.ts';
import { OfferedTools } from './offered-tools.ts';
import { type McpOptions, mcpOptions } from './options.ts';
import { ToolCalls } from './tool-calls.ts';
import { ToolLists, toolLists } from './tool-lists.ts';

type McpKit = Kit<McpOptions>;

/** Offers the tools of MCP servers to the model of a call, and answers their calls in the gateway. */
export const mcp = (): Module<McpOptions> => {
  const lists = new ToolLists();
  const known = new KnownDefinitions();

  return {
    api: 1,
    name: 'mcp',
    summary: 'Gives models the tools of MCP servers, and calls these tools in the gateway.',
    status: 'preview',
    protective: false,
    order: 35,
    ifBroken: 'skip',
    deadlineMs: limits.deadlineMs,
    touches: ['tools', 'history', 'newest-turn', 'output-limit', 'reply'],
    options: mcpOptions,
    collections: [knownDefinitions, toolLists],
    routes: approvalRoutes,
    page: approvalPage,

    async handle(exchange, next, kit) {
      const aside = skipReasonOf(exchange);
      if (aside !== undefined) return passOn(aside);
      const current = await currentTools(kit, known);
      if (current.held > 0) kit.note({ held: current.held });
      if (current.unavailable.length > 0) kit.note({ unavailable: current.unavailable.join('+') });
      const decisions = ofCaller(exchange, kit.decisions);
      const tools = await toolsOfConversation({ exchange, kit, decisions, lists }, current);
      if (tools.length === 0) return passOn('no-tools');
      return answerWithTools({ exchange, next, kit, decisions, tools, current });

      function passOn(reason: string) {
        kit.note({ aside: reason });
        return next(exchange);
      }
    },
  };
};

/** Calls whose answer the gateway can't continue, and tools whose calls would be lost in a rewritten answer. */
function skipReasonOf(exchange: Exchange): string | undefined {
  if (changesState(exchange.clientRequest)) return 'stateful';
  if (hasFormatOnlyFields(exchange)) return 'request-fields';
  return exchange.request.tools?.some(isLostInRewrite) === true ? 'tool-type' : undefined;
}

interface UsableTools {
  /** What may be offered now, by the options and by what is known of the definitions. */
  readonly tools: readonly ListedTool[];
  readonly unavailable: readonly string[];
  /** The number of tools whose changed definition waits for a person. */
  readonly held: number;
}

async function currentTools(kit: McpKit, known: KnownDefinitions): Promise<UsableTools> {
  const { servers, changes } = kit.options;
  const { tools: all, unavailable } = await kit.mcp.list(servers.length === 0 ? undefined : servers);
  const listed = all.flatMap((tool) => listedToolOf(tool) ?? []);
  if (listed.length < all.length) kit.note({ too_large: all.length - listed.length });
  const { scope, store, clock } = kit;
  const held =
    changes === 'accept' || listed.length === 0
      ? new Set<string>()
      : await known.heldOf(listed, { scope, store, nowMs: clock.now() });
  const usable = listed.filter(
    (tool) => !held.has(tool.gatewayName) && approvalOf(tool, kit.options) !== 'refuse',
  );
  if (usable.length > limits.toolsMax) kit.note({ too_many: usable.length - limits.toolsMax });
  return { tools: usable.slice(0, limits.toolsMax), unavailable, held: held.size };
}

/** The decisions of this caller: in an account, others may have conversations with the same words and may not use the same tools. */
function ofCaller({ caller, clientRequest }: Exchange, decisions: DecisionLog): DecisionLog {
  const key = caller.kind === 'account' ? caller.keyId : '';
  const prefix = `${key} ${endUserRefOf(clientRequest, key) ?? ''} `;
  return {
    isEmpty: () => decisions.isEmpty(),
    get: (place) => decisions.get(prefix + place),
    async getAll(places) {
      const all = await decisions.getAll(places.map((place) => prefix + place));
      return new Map([...all].map(([place, decided]) => [place.slice(prefix.length), decided]));
    },
    decideOnce: (place, decide) => decisions.decideOnce(prefix + place, decide),
  };
}

interface CallWithTools {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly kit: McpKit;
  readonly decisions: DecisionLog;
  readonly tools: readonly ListedTool[];
  readonly current: UsableTools;
}

function answerWithTools({ exchange, next, kit, decisions, tools, current }: CallWithTools) {
  const calls = new ToolCalls(exchange, kit);
  const approvals = new ClientApprovals(decisions, (asked) => offered.runApproved(asked));
  const offered = new OfferedTools({ tools, current, calls, approvals, options: kit.options });
  kit.note({ tools: tools.length });
  const gatewayTools: readonly GatewayTool[] = offered.gatewayTools();
  let rounds = 0;
  const nextRound: Handler = (outgoing) => {
    if (rounds > 0) {
      kit.note({ rounds });
      kit.keepUncached();
      requireBudget(exchange, kit.options);
    }
    rounds++;
    return next(outgoing);
  };
  return withTools(gatewayTools, {
    exchange,
    next: nextRound,
    kit: {
      decisions,
      toolAnswers: kit.toolAnswers,
      // The loop's own count includes calls that never reached a server.
      note: ({ tool_calls: _, ...facts }) => kit.note(facts),
    },
    rounds: kit.options.rounds,
    async arrange(request: ChatRequest, offer) {
      const resolved = await approvals.resolve(request, exchange.request.messages);
      // What the tools answered is part of the conversation, but not of what the client and a cache see of it.
      if (resolved.messages !== exchange.request.messages) kit.keepUncached();
      return offer(resolved);
    },
  });
}

/** Ends the answer with what there is. */
function requireBudget({ trace }: Exchange, { max_usd: nanoUsdMax }: McpOptions): void {
  if (nanoUsdMax === undefined) return;
  const spent = trace.attempts.reduce((sum, { bill }) => sum + (bill?.nanoUsd ?? 0), 0);
  if (spent < nanoUsdMax) return;
  throw new GatewayError(
    'request_cost_exceeded',
    `the call has cost ${formatUsd(spent)} USD, and max_usd of mcp is ${formatUsd(nanoUsdMax)}`,
    { detail: 'max_usd' },
  );
}
