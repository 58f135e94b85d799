import { z } from 'zod';
import { defineModule, mapTexts, withTools } from '../../src/module-api.ts';

const base = { api: 1, status: 'preview', protective: false, ifBroken: 'reject' } as const;

/** Masks the words of its option in everything that is sent. */
const mask = defineModule({
  ...base,
  name: 'mask',
  summary: 'Masks words.',
  protective: true,
  touches: ['redaction'],
  options: z.strictObject({ words: z.string().default('bob') }),
  handle(exchange, next, { options }) {
    const words = options.words.split('.');
    const request = mapTexts(exchange.request, (text) =>
      words.reduce((masked, word) => masked.replaceAll(word, 'XXX'), text),
    );
    return next(request === exchange.request ? exchange : exchange.with({ request }));
  },
});

/** Sends calls to another model. */
const reroute = defineModule({
  ...base,
  name: 'reroute',
  summary: 'Sends calls to another model.',
  touches: ['target'],
  options: z.strictObject({ to: z.string() }),
  handle(exchange, next, kit) {
    const target = kit.models.target(kit.options.to);
    return next(target === undefined ? exchange : exchange.with({ target }));
  },
});

/** Has a tool whose results contain the words. */
const teller = defineModule({
  ...base,
  name: 'teller',
  summary: 'Tells words.',
  touches: ['tools', 'history', 'newest-turn', 'output-limit', 'reply'],
  options: z.strictObject({ words: z.string() }),
  handle: (exchange, next, kit) =>
    withTools(
      [
        {
          tool: { name: 'tell', description: kit.options.words, input_schema: { type: 'object' } },
          answer: () => `It is ${kit.options.words}.`,
        },
      ],
      { exchange, next, kit },
    ),
});

/** Asks a model about the words before each call. */
const asker = defineModule({
  ...base,
  name: 'asker',
  summary: 'Asks about words.',
  touches: [],
  options: z.strictObject({ words: z.string() }),
  async handle(exchange, next, kit) {
    const content = `What is ${kit.options.words}?`;
    await kit.models.ask({ max_tokens: 100, messages: [{ role: 'user', content }] }, exchange.target);
    return next(exchange);
  },
});

export default [mask, reroute, teller, asker];
