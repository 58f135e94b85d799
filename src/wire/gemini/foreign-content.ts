import { markTexts } from '../../kernel/scan/scan.ts';
import type { JsonObject } from '../../lib/json.ts';
import { createForeignContentReplacer, mapObjects } from '../foreign-content.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { fieldNameIn, readField } from './fields.ts';
import { capabilitiesOf } from './model-capabilities.ts';
import { carriedThinkingPrefix, noCarriedThinking, skipSignatureValidation } from './signatures.ts';

/** Removes the thinking of other makers' models from the places of signatures. */
export const replaceForeignContent = createForeignContentReplacer({
  marks: [markTexts(carriedThinkingPrefix)],
  replace(body, model, dropped) {
    const { requiresSignatures } = capabilitiesOf(model);
    const contents = mapObjects(body.contents, (content) => {
      const parts = mapObjects(content.parts, (part) => {
        const name = fieldNameIn(part, 'thoughtSignature');
        const signature = stringOf(part[name]) ?? '';
        if (!signature.startsWith(carriedThinkingPrefix)) return part;
        if (signature !== noCarriedThinking) dropped.add('contents[].parts[].thoughtSignature');
        const { [name]: _, ...rest } = part;
        if (isCall(part)) return requiresSignatures ? { ...rest, [name]: skipSignatureValidation } : rest;
        return rest.text === '' ? undefined : rest;
      });
      if (parts === content.parts) return content;
      return Array.isArray(parts) && parts.length === 0 ? undefined : { ...content, parts };
    });
    return contents === body.contents ? undefined : { contents };
  },
});

function isCall(part: JsonObject): boolean {
  return objectOf(readField(part, 'functionCall')) !== undefined;
}
