import type { TextModels, UnreadReason } from '../kernel/ports/text-models.ts';

/** Reads nothing, with a fixed reason. */
export function noTextModels(why: UnreadReason): TextModels {
  return {
    tagEntities: async () => ({ words: [], why }),
    scoreInjection: async () => ({ logit: undefined, start: 0, end: 0, why }),
  };
}
