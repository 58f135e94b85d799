import { z } from 'zod';
import type { ModelListFormat, NamedModel } from '../model-list-format.ts';
import { openaiChat } from './openai-chat.ts';

const modelSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('Always 0; the real date is unknown'),
  owned_by: z.string(),
});

const listSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });

/** OpenAI's model list, unpaginated; the fallback for clients of no other format. */
export const openaiModels: ModelListFormat = {
  wire: openaiChat,
  path: '/v1/models',
  query: {},
  listSchema,
  modelSchema,
  isSpokenBy: () => true,
  encodeList: (models) =>
    ({ object: 'list', data: models.map(toListedModel) }) satisfies z.infer<typeof listSchema>,
  encodeModel: toListedModel,
};

function toListedModel({ id, owner }: NamedModel): z.infer<typeof modelSchema> {
  return { id, object: 'model', created: 0, owned_by: owner };
}
