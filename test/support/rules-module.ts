import { z } from 'zod';
import { defineModule } from '../../src/module-api.ts';

const rule = z.strictObject({ find: z.string().min(1), replacement: z.string() });

/** A protective module with structured options: rules that replace words in the newest message. */
export const rulesModule = defineModule({
  api: 1,
  name: 'rules',
  summary: 'Replaces words by rules.',
  status: 'preview',
  protective: true,
  ifBroken: 'reject',
  touches: ['newest-turn'],
  options: z
    .strictObject({ mode: z.enum(['replace', 'monitor']).default('replace') })
    .transform(({ mode }) => ({ mode, rules: [] as readonly z.infer<typeof rule>[] })),
  configuration: z.strictObject({
    mode: z.enum(['replace', 'monitor']).default('replace'),
    rules: z.array(rule),
  }),
  handle(exchange, next, kit) {
    const { mode, rules } = kit.options;
    const replaced = (text: string) =>
      rules.reduce((all, { find, replacement }) => all.replaceAll(find, replacement), text);
    kit.setHeader('rules', `${mode}=${rules.length}`);
    if (mode === 'monitor') return next(exchange);
    const messages = exchange.request.messages.map((message) =>
      typeof message.content === 'string' ? { ...message, content: replaced(message.content) } : message,
    );
    return next(exchange.with({ request: { ...exchange.request, messages } }));
  },
});
