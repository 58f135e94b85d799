import { markTexts } from '../../kernel/scan/scan.ts';
import { createForeignContentReplacer, mapObjects } from '../foreign-content.ts';
import { stringOf } from '../json-values.ts';
import { sealForeignSignature, sealPrefix } from './thoughts.ts';

/** Removes the thoughts of other makers' models. */
export const replaceForeignContent = createForeignContentReplacer({
  marks: [markTexts(sealPrefix)],
  replace(body, _model, dropped) {
    const input = mapObjects(body.input, (step) => {
      const signature = step.type === 'thought' ? (stringOf(step.signature) ?? '') : '';
      if (!signature.startsWith(sealPrefix)) return step;
      if (signature !== unsigned) dropped.add('input[].thought');
      return undefined;
    });
    return input === body.input ? undefined : { input };
  },
});

const unsigned = sealForeignSignature('');
