// @ts-check
import { defineModule } from 'weir-gateway/module';

/**
 * Ends every answer with how many there have been: the number is read while the answer passes, and counted up when the
 * client has it. What it counts stays when the gateway is started anew, and is separate for each account.
 *
 * @type {import('weir-gateway/module').ModuleFactory<{}>}
 */
const tally = (host) => {
  const { WORD: word = 'Answer' } = host.settings('tally');
  return defineModule({
    api: 1,
    name: 'tally',
    summary: 'Ends every answer with how many there have been.',
    version: '1.0.0',
    status: 'preview',
    protective: false,
    ifBroken: 'skip',
    deadlineMs: 2000,
    touches: ['reply'],
    options: { '~standard': { version: 1, vendor: 'weir-module-tally', validate: noOptions } },

    async handle(exchange, next, kit) {
      const reply = await next(exchange);
      return reply.through(async function* (events) {
        let blocks = 0;
        for await (const event of events) {
          if (event.type === 'content_block_start') blocks++;
          if (event.type === 'message_delta' && event.delta.stop_reason === 'end_turn') {
            const counted = await kit.store.get('answers');
            yield* textBlock(blocks, `\n\n${word} ${countIn(counted) + 1}.`);
            kit.runInBackground(() => countUp(kit.store));
          }
          yield event;
        }
      });
    },
  });
};

/**
 * Only if nobody else has counted in between; then once more.
 *
 * @param {import('weir-gateway/module').ModuleStore} store
 */
async function countUp(store) {
  for (;;) {
    const counted = await store.get('answers');
    const written = await store.put('answers', countIn(counted) + 1, counted?.version ?? 0);
    if (written !== undefined) return;
  }
}

/** @param {import('weir-gateway/module').StoredValue | undefined} counted */
function countIn(counted) {
  return typeof counted?.value === 'number' ? counted.value : 0;
}

/**
 * @param {number} index
 * @param {string} text
 * @returns {Generator<import('weir-gateway/module').ReplyEvent>}
 */
function* textBlock(index, text) {
  yield { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
  yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text } };
  yield { type: 'content_block_stop', index };
}

/**
 * @param {unknown} value
 * @returns {{ value: {} } | { issues: { message: string, path: string[] }[] }}
 */
function noOptions(value) {
  const [unknown] = Object.keys(Object(value));
  return unknown === undefined
    ? { value: {} }
    : { issues: [{ message: 'there is no such option', path: [unknown] }] };
}

export default tally;
