// @ts-check

/**
 * Ends every text block of an answer with a line, streamed or not and in every wire format: the gateway gives modules
 * one shape for all of them.
 *
 * @type {import('weir-gateway/module').Module<{ text: string }>}
 */
const stamp = {
  api: 1,
  name: 'stamp',
  summary: 'Ends every text answer with a line of your choice.',
  version: '1.0.0',
  status: 'preview',
  protective: false,
  ifBroken: 'skip',
  touches: ['reply'],
  options: { '~standard': { version: 1, vendor: 'weir-module-stamp', validate: readOptions } },

  async handle(exchange, next, kit) {
    const reply = await next(exchange);
    /** @type {Set<number>} */
    const texts = new Set();
    return reply.map((event) => {
      if (event.type === 'content_block_start' && event.content_block.type === 'text') texts.add(event.index);
      if (event.type !== 'content_block_stop' || !texts.has(event.index)) return event;
      return [
        {
          type: 'content_block_delta',
          index: event.index,
          delta: { type: 'text_delta', text: `\n${kit.options.text}` },
        },
        event,
      ];
    });
  },
};

/**
 * Options of a pipeline list arrive as strings: `stamp?text=Bye`.
 *
 * @param {unknown} value
 * @returns {{ value: { text: string } } | { issues: { message: string, path: string[] }[] }}
 */
function readOptions(value) {
  const { text = 'Sent through Weir.', ...others } = Object(value);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return { issues: [{ message: 'there is no such option', path: [unknown] }] };
  if (text.length > 200) return { issues: [{ message: 'has at most 200 characters', path: ['text'] }] };
  return { value: { text } };
}

export default stamp;
