import type { TextModels } from '../kernel/ports/text-models.ts';

/** The models for the texts of one tenant. */
export function scopeTextModels(textModels: TextModels, scope: string): TextModels {
  return {
    tagEntities: (text, options) => textModels.tagEntities(text, { ...options, scope }),
    scoreInjection: (text, options) => textModels.scoreInjection(text, { ...options, scope }),
  };
}
