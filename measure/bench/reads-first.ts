import { defineModule } from '../../src/module-api.ts';

/** Has the newest words of a person read before other modules need them, as they have them in common. */
export default defineModule({
  api: 1,
  name: 'reads-first',
  summary: 'Has the newest words read.',
  status: 'preview',
  protective: false,
  ifBroken: 'reject',
  touches: [],
  options: { '~standard': { version: 1, vendor: 'bench', validate: () => ({ value: {} }) } },
  async handle(exchange, next, kit) {
    const { content = '' } = exchange.request.messages.at(-1) ?? {};
    const { why } = typeof content === 'string' ? await kit.embeddings.one(content) : {};
    if (why !== undefined) kit.note({ why });
    return next(exchange);
  },
});
