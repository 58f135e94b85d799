import { type Abilities, type Ability, unknownAbilities } from '../../../kernel/abilities.ts';
import type { FactSource } from '../../../kernel/ports/candidates.ts';
import { acceptanceOf, kindOf, type Target, underlyingModelOf } from '../../../kernel/provider.ts';
import type { Feature } from '../model-entry.ts';
import type { AbilityRule } from './ability-rule.ts';
import { anthropicAbilities } from './anthropic.ts';
import { bedrockAbilities } from './bedrock.ts';
import { deepseekAbilities } from './deepseek.ts';
import { demoAbilities } from './demo.ts';
import { geminiAbilities } from './gemini.ts';
import { groqAbilities } from './groq.ts';
import { mistralAbilities } from './mistral.ts';
import { openaiAbilities } from './openai.ts';
import { openrouterRule } from './openrouter.ts';
import { xaiAbilities } from './xai.ts';

/** By provider. Open-weight models differ from provider to provider, so nothing is assumed. */
export const abilityRules: ReadonlyMap<string, readonly AbilityRule[]> = new Map(
  Object.entries({
    anthropic: anthropicAbilities,
    openai: openaiAbilities,
    azure: openaiAbilities,
    gemini: geminiAbilities,
    vertex: [...anthropicAbilities, ...geminiAbilities],
    bedrock: bedrockAbilities,
    mistral: mistralAbilities,
    groq: groqAbilities,
    deepseek: deepseekAbilities,
    xai: xaiAbilities,
    demo: demoAbilities,
  }),
);

function ruleOf(target: Target): AbilityRule | undefined {
  const model = underlyingModelOf(target);
  const name = kindOf(target.provider);
  return name === 'openrouter'
    ? openrouterRule(model)
    : abilityRules.get(name)?.find(({ models }) => models.test(model));
}

/** Where the rule for a model comes from. */
export function abilitySourceOf(target: Target): FactSource | undefined {
  const rule = ruleOf(target);
  return rule && { source: rule.source, checkedOn: rule.checkedOn };
}

/**
 * What a model can do: the features in the catalog, then the rules of its provider, then what the provider is known to
 * reject.
 */
export function abilitiesOf(target: Target, features?: readonly Feature[]): Abilities {
  const { models: _, source: _source, checkedOn: _checkedOn, ...rule } = ruleOf(target) ?? noRule;
  // Every format that Weir speaks to providers has streams.
  const abilities = { ...unknownAbilities, streaming: true, ...fromFeatures(features), ...rule };
  const { formats, efforts, rejects } = acceptanceOf(target);
  if (efforts.length > 0) abilities.reasoning = true;
  if (abilities.forcedToolWithThinking === 'unknown' && abilities.forcedTool !== 'unknown')
    abilities.forcedToolWithThinking = abilities.forcedTool && abilities.reasoning;
  if (rejects.includes('stop_sequences')) abilities.stopSequences = false;
  if (!formats.includes('json_schema')) abilities.structuredOutput = false;
  return abilities;
}

const noRule: AbilityRule = { models: /^/, checkedOn: '' };

const abilityByFeature: Readonly<Partial<Record<Feature, Ability>>> = {
  tools: 'tools',
  images: 'images',
  thinking: 'reasoning',
  json_schema: 'structuredOutput',
};

/** A model with listed features has no others. */
function fromFeatures(features: readonly Feature[] | undefined): Partial<Abilities> {
  if (features === undefined) return {};
  return Object.fromEntries(
    Object.entries(abilityByFeature).map(([feature, ability]) => [
      ability,
      features.some((one) => one === feature),
    ]),
  );
}
