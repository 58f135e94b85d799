import { z } from 'zod';

const column = z.strictObject({
  field: z.string().describe('The field of a row'),
  title: z.string(),
  format: z.enum(['text', 'number', 'time', 'badge']).optional().describe('`text` by default'),
});

const action = z.strictObject({
  title: z.string(),
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().describe('A route of the module; `:name` is the field of the row'),
  confirm: z.string().optional().describe('A question that is asked first'),
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of the body: an object of texts, numbers, booleans and enums, for a form'),
});

/** A page of the dashboard, described by data. */
export const modulePageSchema = z.strictObject({
  title: z.string(),
  description: z.string().optional(),
  list: z.strictObject({
    path: z
      .string()
      .describe('A GET route of the module. With `next` in its answer, it takes `after` for the next page'),
    rows: z.string().describe('The field of the answer that has the rows'),
    key: z.string().describe('The field that identifies a row'),
    columns: z.array(column).min(1),
    empty: z.string().describe('What the page says if there are no rows'),
  }),
  detail: z.array(column).optional().describe('Further fields of a row, shown when it is opened'),
  create: action.optional(),
  actions: z.array(action).optional().describe('What can be done with a row'),
});

export type ModulePage = z.output<typeof modulePageSchema>;
