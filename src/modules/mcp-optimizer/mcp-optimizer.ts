import { abstains, type ChatRequest, type GatewayTool, type Module, withTools } from '../../module-api.ts';
import type { ToolList } from './choice/tool-list.ts';
import { type CallWithTools, embedTexts } from './choose-omission.ts';
import { deferTools, isToolSearchBlock, removeStaleReferences } from './deferred-tools.ts';
import { LearnedTools } from './learned-tools.ts';
import { estimateToolTokens, removeTools } from './omitted-tools.ts';
import { type McpOptimizerOptions, mcpOptimizerOptions } from './options.ts';
import { isClientTool } from './required-tools.ts';
import { providerToolSearchOf } from './retrieval-mode.ts';
import { createRetrievalTools } from './retrieval-tools.ts';
import { recordSavings } from './savings.ts';
import { type SkipReason, skipReasonBeforeChoice } from './skip-reason.ts';
import { ToolDecider } from './tool-decider.ts';
import { ToolListCache } from './tool-list-cache.ts';

const name = 'mcp-optimizer';

/** Omits the tools that a conversation doesn't need, the same in all its calls, and lets the model find them when needed. */
export const mcpOptimizer = (): Module<McpOptimizerOptions> => {
  const lists = new ToolListCache();
  const learned = new LearnedTools();

  return {
    api: 1,
    name,
    summary: 'Leaves out tools that a conversation does not need, and finds them where they are missed.',
    status: 'production',
    protective: false,
    order: 40,
    ifBroken: 'skip',
    touches: ['tools', 'history', 'newest-turn', 'output-limit', 'reply'],
    options: mcpOptimizerOptions,

    async handle(exchange, next, kit) {
      const { tools = [] } = exchange.request;
      const clientTools = tools.every(isClientTool) ? tools : tools.filter(isClientTool);
      const call = { exchange, kit, clientTools, lists, learned };
      const passOn = (skipReason: SkipReason) => {
        kit.note({ aside: skipReason });
        return next(exchange);
      };
      const aside = skipReasonBeforeChoice(call);
      if (aside !== undefined) return passOn(aside);
      learned.record(call);
      if (await abstains(exchange, name, kit)) return next(exchange);
      const toolDecider = new ToolDecider(call);
      const decision = await toolDecider.decide();
      if (decision === undefined || decision.omitted.length === 0) return passOn(toolDecider.skipReason);
      const left = new Set(decision.omitted);
      const search = decision.retrieval === 'defer' ? providerToolSearchOf(exchange, kit) : undefined;
      const sent = search === undefined ? removeTools(tools, left) : deferTools(tools, left, search.tool);
      const isFinding = decision.retrieval !== 'none' && search === undefined;
      const edited = exchange.with({ request: { ...exchange.request, tools: sent } });
      const back = isFinding ? retrievalToolsFor(call, left) : [];
      kit.note({ kept: `${tools.length - left.size}/${tools.length}` });
      const tokens = decision.tokens - estimateToolTokens(back.map(({ tool }) => tool));
      recordSavings(exchange, { tokens, module: name }, kit);
      const hidden = { isHidden: isToolSearchBlock, resend: search !== undefined };
      const { step } = decision;
      const arrange = async (request: ChatRequest, offer: (request: ChatRequest) => ChatRequest) => {
        const asked = offer(search === undefined ? request : removeStaleReferences(request, sent));
        if (step !== undefined) kit.prefix.proposeStep(asked, step);
        return asked;
      };
      return withTools(back, { exchange: edited, next, kit, hidden, arrange });
    },
  };
};

/** The tools with which the model reaches omitted ones. */
function retrievalToolsFor(call: CallWithTools, omitted: ReadonlySet<string>): readonly GatewayTool[] {
  const weighed = (texts: readonly string[]) => texts.map((text) => ({ text, weight: 1 }));
  return createRetrievalTools({
    tools: call.clientTools,
    omitted,
    families: call.lists.familiesOf(call.clientTools),
    list: () => searchableListOf(call),
    embed: async (texts) => (await embedTexts(weighed(texts), call.kit.embeddings)).texts,
  });
}

async function searchableListOf({ clientTools, lists, kit }: CallWithTools): Promise<ToolList> {
  const { list } = await lists.load(clientTools, kit.embeddings);
  return list ?? lists.withoutVectors(clientTools);
}
