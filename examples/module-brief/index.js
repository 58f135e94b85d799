// @ts-check
/** @import { Block, Message, Module } from 'weir-gateway/module' */

/**
 * Cuts long results of tools short, from the first time on that a model sees them. How short is decided once for each
 * turn and kept in the conversation's ledger, so that every later call sends the same bytes, also with another option.
 *
 * @type {Module<{ keep: number }>}
 */
const brief = {
  api: 1,
  name: 'brief',
  summary: 'Cuts long results of tools short.',
  version: '1.0.0',
  status: 'preview',
  protective: false,
  ifBroken: 'skip',
  touches: ['history', 'newest-turn'],
  options: { '~standard': { version: 1, vendor: 'weir-module-brief', validate: readOptions } },

  async handle(exchange, next, { decisions, options }) {
    const { request, conversation } = exchange;
    const newest = request.messages.findLastIndex(({ role }) => role === 'assistant') + 1;
    const messages = await Promise.all(
      request.messages.map(async (message, at) => {
        const { content } = message;
        if (typeof content === 'string' || !content.some(isResult)) return message;
        const place = conversation.digestAt(at + 1);
        const keep = await (at < newest
          ? decisions.get(place)
          : decisions.decideOnce(place, () => options.keep));
        return typeof keep === 'number' ? shortened(message, content, keep) : message;
      }),
    );
    const isSame = messages.every((message, at) => message === request.messages[at]);
    return next(isSame ? exchange : exchange.with({ request: { ...request, messages } }));
  },
};

/** @type {(message: Message, blocks: readonly Block[], keep: number) => Message} */
function shortened(message, blocks, keep) {
  const content = blocks.map((block) =>
    isResult(block) && typeof block.content === 'string' && block.content.length > keep
      ? { ...block, content: `${block.content.slice(0, keep)} […]` }
      : block,
  );
  return content.every((block, at) => block === blocks[at]) ? message : { ...message, content };
}

/** @type {(block: Block) => block is import('weir-gateway/module').ToolResultBlock} */
const isResult = (block) => block.type === 'tool_result';

/** @param {unknown} value */
function readOptions(value) {
  const keep = Number(Object(value).keep ?? 2000);
  const issue = { message: 'must be a number of characters', path: ['keep'] };
  return keep > 0 ? { value: { keep } } : { issues: [issue] };
}

export default brief;
