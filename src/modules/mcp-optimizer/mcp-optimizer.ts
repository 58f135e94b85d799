import { type AnsweredTool, type ChatRequest, type ModuleMaker, withTools } from '../../module-api.ts';
import { type Aside, asideBeforeChoosing } from './aside.ts';
import type { ToolList } from './choice/tool-list.ts';
import { type CallWithTools, readTexts } from './choosing.ts';
import { Deciding } from './deciding.ts';
import { isSearch, withDeferred, withKnownReferences } from './deferred.ts';
import { mayChooseNow } from './early.ts';
import { tokensOf, withoutTools } from './left-out.ts';
import { isClients } from './needed.ts';
import { type McpOptimizerOptions, mcpOptimizerOptions } from './options.ts';
import { ToolLists } from './tool-lists.ts';
import { wayBack } from './way-back.ts';
import { searchOf } from './ways.ts';
import { reckon } from './worth.ts';

const name = 'mcp-optimizer';

/** Leaves out the tools that a conversation does not need, the same ones in all of its calls, and finds them where they are missed. */
export const mcpOptimizer: ModuleMaker<McpOptimizerOptions> = () => {
  const lists = new ToolLists();

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
      const offered = tools.every(isClients) ? tools : tools.filter(isClients);
      const call = { exchange, kit, offered, lists };
      const passOn = (aside: Aside) => {
        kit.note({ aside });
        return next(exchange);
      };
      const aside = asideBeforeChoosing(call);
      if (aside !== undefined) return passOn(aside);
      const deciding = new Deciding(call);
      const decision = await deciding.decided();
      if (decision === undefined || decision.left.length === 0) return passOn(deciding.aside);
      const left = new Set(decision.left);
      const search = decision.way === 'defer' ? searchOf(exchange, kit) : undefined;
      const sent = search === undefined ? withoutTools(tools, left) : withDeferred(tools, left, search.tool);
      const isFinding = decision.way !== 'none' && search === undefined;
      const edited = exchange.with({ request: { ...exchange.request, tools: sent } });
      const back = isFinding ? backTo(call, left) : [];
      kit.note({ kept: `${tools.length - left.size}/${tools.length}` });
      const tokens = decision.tokens - tokensOf(back.map(({ tool }) => tool));
      reckon(exchange, { tokens, module: name }, kit);
      const hidden = { is: isSearch, goBack: search !== undefined };
      const { waited } = decision;
      const arrange = async (request: ChatRequest, offer: (request: ChatRequest) => ChatRequest) => {
        const asked = offer(search === undefined ? request : withKnownReferences(request, sent));
        if (waited !== undefined) mayChooseNow(exchange, { edited: asked, tokens: waited }, kit);
        return asked;
      };
      return withTools(back, { exchange: edited, next, kit, hidden, arrange });
    },
  };
};

/** Tools by which the model gets at those that it is not shown. */
function backTo(call: CallWithTools, left: ReadonlySet<string>): readonly AnsweredTool[] {
  const weighed = (texts: readonly string[]) => texts.map((text) => ({ text, weight: 1 }));
  return wayBack({
    tools: call.offered,
    left,
    list: () => searchable(call),
    read: async (texts) => (await readTexts(weighed(texts), call.kit.embed)).texts,
  });
}

async function searchable({ offered, lists, kit }: CallWithTools): Promise<ToolList> {
  const { list } = await lists.of(offered, kit.embed);
  return list ?? lists.withoutVectors(offered);
}
