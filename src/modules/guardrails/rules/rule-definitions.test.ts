import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineModule, GatewayError } from '../../../module-api.ts';
import { runModule } from '../../../testing/run-module.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { createRuleDefinitions } from './rule-definitions.ts';

interface Options {
  readonly rules?: readonly string[] | undefined;
  readonly compiledRules?: readonly CompiledRule[];
}

/** Notes the findings of its rules in the newest message. */
const counting = defineModule<Options>({
  api: 1,
  name: 'counting',
  summary: 'Counts findings.',
  status: 'preview',
  protective: false,
  ifBroken: 'reject',
  touches: [],
  options: z.strictObject({
    rules: z
      .string()
      .transform((text) => text.split('|'))
      .optional(),
  }),
  definitions: createRuleDefinitions(),
  async handle(exchange, next, kit) {
    const text = JSON.stringify(exchange.request.messages);
    for (const { name, find } of kit.options.compiledRules ?? [])
      kit.note({ [name]: [...find(text)].length });
    return next(exchange);
  },
});

const definitions = {
  tickets: { pattern: 'OPS-[0-9]+', action: 'monitor' },
  birds: { words: ['falcon', 'heron'], action: 'redact' },
};
const request = {
  model: 'demo-1',
  max_tokens: 9,
  messages: [{ role: 'user' as const, content: 'OPS-1, OPS-2, a falcon' }],
};

test('a pipeline has the rules that it lists, compiled', async () => {
  const call = runModule(counting, { definitions });
  const { step } = await call(request, { options: 'rules=tickets|birds' });
  assert.deepEqual([step?.attributes.tickets, step?.attributes.birds], [2, 1]);
  const { error } = await call(request, { options: 'rules=tickets|nosuch' });
  assert.ok(GatewayError.is(error));
  assert.equal(error.code, 'unknown_configuration');
  assert.match(error.message, /"counting\.rules:nosuch"/);
});

test('the cost of a rule is known', () => {
  const { describe } = createRuleDefinitions();
  const { size, charactersMax, microsecondsPer10Kb } = describe('tickets', definitions.tickets);
  assert.deepEqual([size, charactersMax], [7, null]);
  assert.ok(Number(microsecondsPer10Kb) > 0);
});
