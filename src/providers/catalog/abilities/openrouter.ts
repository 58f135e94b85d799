import type { AbilityRule } from './ability-rule.ts';
import { anthropicAbilities } from './anthropic.ts';
import { deepseekAbilities } from './deepseek.ts';
import { geminiAbilities } from './gemini.ts';
import { mistralAbilities } from './mistral.ts';
import { openaiAbilities } from './openai.ts';
import { xaiAbilities } from './xai.ts';

/** The makers of models, by the first part of their names at OpenRouter. */
const makers: Readonly<Record<string, readonly AbilityRule[]>> = {
  anthropic: anthropicAbilities,
  openai: openaiAbilities,
  google: geminiAbilities,
  mistralai: mistralAbilities,
  deepseek: deepseekAbilities,
  'x-ai': xaiAbilities,
};

const unknownMaker: AbilityRule = {
  models: /^/,
  source: 'https://openrouter.ai/docs/features',
  checkedOn: '2026-11-17',
};

/** Models do what they do at their makers. In recorded calls, models of several makers read PDFs and search the web. */
export function openrouterRule(model: string): AbilityRule {
  const slash = model.indexOf('/');
  const own = model.slice(slash + 1);
  const rule = makers[model.slice(0, slash)]?.find(({ models }) => models.test(own)) ?? unknownMaker;
  return {
    ...rule,
    documents: true,
    serverTools: true,
    searchOptions: 'unknown',
    severalAnswers: 'unknown',
  };
}
