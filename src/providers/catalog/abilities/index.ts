import { type Abilities, type Ability, unknownAbilities } from '../../../kernel/abilities.ts';
import { acceptanceOf, type Target, underlyingModelOf } from '../../../kernel/provider.ts';
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

type RuleOfModel = Partial<Abilities> | undefined;

/** The rule for a model, by provider. Open-weight models differ from provider to provider, so nothing is assumed. */
const ruleFinders: ReadonlyMap<string, (model: string) => RuleOfModel> = new Map(
  Object.entries({
    anthropic: firstOf(anthropicAbilities),
    openai: firstOf(openaiAbilities),
    azure: firstOf(openaiAbilities),
    gemini: firstOf(geminiAbilities),
    vertex: firstOf([...anthropicAbilities, ...geminiAbilities]),
    bedrock: firstOf(bedrockAbilities),
    mistral: firstOf(mistralAbilities),
    groq: firstOf(groqAbilities),
    deepseek: firstOf(deepseekAbilities),
    xai: firstOf(xaiAbilities),
    openrouter: openrouterRule,
    demo: firstOf(demoAbilities),
  }),
);

function firstOf(rules: readonly AbilityRule[]): (model: string) => RuleOfModel {
  return (model) => {
    const { models: _, ...rule } = rules.find(({ models }) => models.test(model)) ?? {};
    return rule;
  };
}

/**
 * What a model can do: the features in the catalog, then the rules of its provider, then what the provider is known to
 * reject.
 */
export function abilitiesOf(target: Target, features?: readonly Feature[]): Abilities {
  const rule = ruleFinders.get(target.provider.name)?.(underlyingModelOf(target));
  // Every format that Weir speaks to providers has streams.
  const abilities = { ...unknownAbilities, streaming: true, ...fromFeatures(features), ...rule };
  const { formats, efforts, rejects } = acceptanceOf(target);
  if (efforts.length > 0) abilities.reasoning = true;
  if (rejects.includes('stop_sequences')) abilities.stopSequences = false;
  if (!formats.includes('json_schema')) abilities.structuredOutput = false;
  return abilities;
}

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
