import { z } from 'zod';
import {
  type ChatRequest,
  type Kit,
  type Message,
  type Module,
  type ModuleFactory,
  withTools,
} from '../../src/module-api.ts';
import { mcpOptimizer } from '../../src/modules/mcp-optimizer/mcp-optimizer.ts';
import type { McpOptimizerOptions } from '../../src/modules/mcp-optimizer/options.ts';
import { wordVectors } from '../../src/modules/mcp-optimizer/testing.ts';

/** Modules that edit everything there is to edit, each in the way that it should be done; and one that doesn't. */
function editing(name: string, handle: Module['handle']): Module {
  return {
    api: 1,
    name,
    summary: 'For tests.',
    status: 'preview',
    protective: false,
    ifBroken: 'reject',
    touches: ['tools', 'system', 'history', 'newest-turn', 'output-limit', 'reply'],
    options: z.strictObject({}),
    handle,
  };
}

let random = 0;

function hasResults({ content }: Message): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'tool_result');
}

/** Chooses tools at the first call of a conversation, and leaves the others out of all. */
const picker = editing('picker', async (exchange, next, { decisions }) => {
  const { request } = exchange;
  const { tools = [] } = request;
  const left = z
    .array(z.string())
    .parse(
      await decisions.decideOnce('left', () =>
        tools.filter(() => ++random % 3 === 0).map(({ name }) => name),
      ),
    );
  const kept = tools.filter(({ name }) => !left.includes(name));
  if (kept.length === tools.length || kept.length === 0) return next(exchange);
  return next(exchange.with({ request: { ...request, tools: kept } }));
});

/** Puts a hint, another each time, behind what a person says. */
const hinter = editing('hinter', async (exchange, next, { decisions }) => {
  const { request, conversation } = exchange;
  const newest = request.messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const messages = await Promise.all(
    request.messages.map(async (message, at): Promise<Message> => {
      if (message.role !== 'user' || hasResults(message)) return message;
      const place = `hint:${conversation.digestAt(at + 1)}`;
      const hint = await (at < newest
        ? decisions.get(place)
        : decisions.decideOnce(place, () => `Hint ${++random}.`));
      if (typeof hint !== 'string') return message;
      const said =
        typeof message.content === 'string'
          ? [{ type: 'text', text: message.content } as const]
          : message.content;
      return { ...message, content: [...said, { type: 'text', text: hint }] };
    }),
  );
  const isSame = messages.every((message, at) => message === request.messages[at]);
  return next(isSame ? exchange : exchange.with({ request: { ...request, messages } }));
});

/** Makes a summary of the oldest part of a long conversation, in declared steps. */
const handleFolding: Module['handle'] = async (exchange, next, { decisions, prefix }) => {
  const { request, conversation } = exchange;
  const { messages } = request;
  const folded = (end: number, summary: string): ChatRequest => ({
    ...request,
    messages: [
      { role: 'user', content: summary },
      { role: 'assistant', content: 'I see.' },
      ...messages.slice(end),
    ],
  });
  // Another branch may have taken steps that this one didn't.
  let end = 0;
  let now = request;
  for (let at = messages.length - 1; at > 0 && end === 0; at--) {
    const summary = await decisions.get(`fold:${conversation.digestAt(at)}`);
    if (summary !== undefined && prefix.isPreserved(folded(at, String(summary))))
      [end, now] = [at, folded(at, String(summary))];
  }
  const further = messages.findLastIndex(
    (message, at) =>
      at <= messages.length - 5 && at > end + 8 && message.role === 'user' && !hasResults(message),
  );
  if (further > 0) {
    const mayFold = (summary: string) =>
      prefix.proposeStep(folded(further, summary), { calls: 1000 }).isAllowed;
    const summary = `Summary ${++random}.`;
    if (mayFold(summary)) {
      // Another call may have been faster, and then its words count.
      const decided = String(
        await decisions.decideOnce(`fold:${conversation.digestAt(further)}`, () => summary),
      );
      const shorter = folded(further, decided);
      if (prefix.proposeStep(shorter, { calls: 1000 }).isAllowed)
        return next(exchange.with({ request: shorter }));
    }
  }
  return next(now === request ? exchange : exchange.with({ request: now }));
};

const folder: Module = { ...editing('folder', handleFolding), shortens: true };

/** Has a tool that answers something else each time. */
const teller = editing('teller', (exchange, next, kit) =>
  withTools(
    [
      {
        tool: { name: 'tell', description: 'Tells.', input_schema: { type: 'object' } },
        answer: () => `Told ${++random}.`,
      },
    ],
    { exchange, next, kit },
  ),
);

/** Writes something else into an old message at every call that it can do harm to. */
const meddler = editing('meddler', (exchange, next, { prefix }) => {
  const [first, ...others] = exchange.request.messages;
  if (prefix.isBreak || first === undefined) return next(exchange);
  const messages: Message[] = [{ ...first, content: `Meddled ${++random}.` }, ...others];
  return next(exchange.with({ request: { ...exchange.request, messages } }));
});

/** The one that leaves tools out, with vectors that are there at once. */
const optimizer: ModuleFactory<McpOptimizerOptions> = () => {
  const made = mcpOptimizer();
  const embed = wordVectors();
  const withVectors = (kit: Kit<McpOptimizerOptions>) =>
    new Proxy(kit, {
      get(target, name) {
        if (name === 'embed') return embed;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  return {
    ...made,
    name: 'optimizer',
    ifBroken: 'reject',
    handle: (exchange, next, kit) => made.handle(exchange, next, withVectors(kit)),
  };
};

export default [picker, hinter, folder, teller, meddler, optimizer];
