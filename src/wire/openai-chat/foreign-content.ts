import { createForeignContentReplacer, mapObjects } from '../foreign-content.ts';
import { stringOf } from '../json-values.ts';
import { isWrappedOpaque, sealedTexts } from '../opaque-data.ts';

/** Removes the sealed reasoning of other makers' models. */
export const replaceForeignContent = createForeignContentReplacer({
  marks: [sealedTexts],
  replace(body, _model, dropped) {
    const messages = mapObjects(body.messages, (message) => {
      const details = mapObjects(message.reasoning_details, (detail) =>
        isWrappedOpaque(stringOf(detail.data) ?? '') ? undefined : detail,
      );
      if (details === message.reasoning_details) return message;
      dropped.add('messages[].reasoning_details');
      const { reasoning_details: _, ...rest } = message;
      return Array.isArray(details) && details.length === 0 ? rest : { ...rest, reasoning_details: details };
    });
    return messages === body.messages ? undefined : { messages };
  },
});
