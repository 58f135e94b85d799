import type { JsonObject } from '../../lib/json.ts';
import { createForeignContentReplacer, mapObjects } from '../foreign-content.ts';
import { stringOf } from '../json-values.ts';
import { isWrappedOpaque, sealedTexts } from '../opaque-data.ts';

/** Removes the reasoning of other makers' models, which the provider can't decrypt, or find by the id that it has from here. */
export const replaceForeignContent = createForeignContentReplacer({
  marks: [sealedTexts],
  replace(body, _model, dropped) {
    const input = mapObjects(body.input, (item) => {
      if (!isForeignReasoning(item)) return item;
      dropped.add('input[].reasoning');
      return undefined;
    });
    return input === body.input ? undefined : { input };
  },
});

function isForeignReasoning({ type, encrypted_content }: JsonObject): boolean {
  return type === 'reasoning' && isWrappedOpaque(stringOf(encrypted_content) ?? '');
}
