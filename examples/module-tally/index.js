// @ts-check
import { defineCollection, defineModule, GatewayError } from 'weir-gateway/module';

/** The answers that were counted, for a month. */
const answers = defineCollection({
  name: 'answers',
  fields: { model: 'text1', at: 'integer1' },
  lifeSeconds: 30 * 86_400,
});

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
    options: schema(noOptions),
    routes,
    page,

    async handle(exchange, next, kit) {
      const reply = await next(exchange);
      return reply.through(async function* (events) {
        let blocks = 0;
        for await (const event of events) {
          if (event.type === 'content_block_start') blocks++;
          if (event.type === 'message_delta' && event.delta.stop_reason === 'end_turn') {
            const counted = await kit.store.get('answers');
            yield* textBlock(blocks, `\n\n${word} ${countIn(counted) + 1}.`);
            kit.runInBackground(async () => {
              await countUp(kit.store);
              await addAnswer(kit.store, exchange.id, exchange.request.model, kit.clock.now());
            });
          }
          yield event;
        }
      });
    },
  });
};

/**
 * @param {import('weir-gateway/module').ModuleHost} host
 * @returns {readonly import('weir-gateway/module').ModuleRoute[]}
 */
const routes = (host) => [
  {
    method: 'GET',
    path: '/v1/modules/tally/answers',
    summary: 'List counted answers, the newest first',
    access: 'sessionOrKey',
    query: { after: schema(optionalText) },
    responses: { 200: { description: 'A page of answers' } },
    async handle({ scope, query }) {
      const after = query.after === undefined ? undefined : String(query.after);
      const { entries, next } = await host
        .store(scope)
        .collection(answers)
        .query({ orderBy: 'at', descending: true, limit: 20, after });
      return { body: { answers: entries.map(({ key, fields }) => ({ id: key, ...fields })), next } };
    },
  },
  {
    method: 'POST',
    path: '/v1/modules/tally/answers',
    summary: 'Count an answer by hand',
    access: 'sessionOrKey',
    body: schema(answerFields),
    responses: { 201: { description: 'Counted' } },
    async handle({ scope, body }) {
      const now = host.clock.now();
      await addAnswer(host.store(scope), `by-hand-${now}`, Object(body).model, now);
      return { status: 201, body: {} };
    },
  },
  {
    method: 'DELETE',
    path: '/v1/modules/tally/answers/:id',
    summary: 'Forget an answer',
    access: 'sessionOrKey',
    responses: { 204: { description: 'Forgotten' }, 404: { description: 'There is no such answer' } },
    async handle({ scope, parameters: { id = '' } }) {
      const isDeleted = await host.store(scope).collection(answers).delete(id.slice(0, 200));
      if (!isDeleted) throw new GatewayError('not_found', 'no such answer');
      return { status: 204 };
    },
  },
];

/** @type {import('weir-gateway/module').ModulePage} */
const page = {
  title: 'Tally',
  description: 'Answers that were counted in the last 30 days.',
  list: {
    path: '/v1/modules/tally/answers',
    rows: 'answers',
    key: 'id',
    columns: [
      { field: 'model', title: 'Model' },
      { field: 'at', title: 'Counted', format: 'time' },
    ],
    empty: 'Nothing has been counted yet.',
  },
  detail: [{ field: 'id', title: 'Call' }],
  create: {
    title: 'Count one',
    method: 'POST',
    path: '/v1/modules/tally/answers',
    schema: {
      type: 'object',
      properties: { model: { type: 'string', title: 'Model' } },
      required: ['model'],
    },
  },
  actions: [
    {
      title: 'Forget',
      method: 'DELETE',
      path: '/v1/modules/tally/answers/:id',
      confirm: 'Forget this answer?',
    },
  ],
};

/**
 * @param {import('weir-gateway/module').ModuleStore} store
 * @param {string} id
 * @param {string} model
 * @param {number} at
 */
async function addAnswer(store, id, model, at) {
  await store.collection(answers).put(id, { value: null, fields: { model: model.slice(0, 200), at } });
}

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
 * A Standard Schema without a library.
 *
 * @template Output
 * @param {(value: unknown) => { value: Output } | { issues: { message: string, path: string[] }[] }} validate
 */
function schema(validate) {
  return { '~standard': /** @type {const} */ ({ version: 1, vendor: 'weir-module-tally', validate }) };
}

/** @param {unknown} value */
function optionalText(value) {
  return { value: value === undefined ? undefined : String(value) };
}

/**
 * @param {unknown} value
 * @returns {{ value: { model: string } } | { issues: { message: string, path: string[] }[] }}
 */
function answerFields(value) {
  const { model } = Object(value);
  return typeof model === 'string' && model !== ''
    ? { value: { model } }
    : { issues: [{ message: 'must be a text', path: ['model'] }] };
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
