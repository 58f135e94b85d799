import { z } from 'zod';
import type { ModelDialect, NamedModel } from '../../kernel/model-dialect.ts';
import { openaiChat } from './openai-chat.ts';

const modelSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('0: it is not known'),
  owned_by: z.string(),
});

const listSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });

/** Models as OpenAI's API lists them: all at once. What nobody else claims is spoken to in this form. */
export const openaiModels: ModelDialect = {
  wire: openaiChat,
  path: '/v1/models',
  query: {},
  listSchema,
  modelSchema,
  spokenBy: () => true,
  list: (models) => ({ object: 'list', data: models.map(one) }) satisfies z.infer<typeof listSchema>,
  one,
};

function one({ id, owner }: NamedModel): z.infer<typeof modelSchema> {
  return { id, object: 'model', created: 0, owned_by: owner };
}
