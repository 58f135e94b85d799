import { z } from 'zod';

/** The line of the log that says where a gateway listens. */
export const listening = z.object({ url: z.url() });

/** What the answer of an import says. */
export const importAnswer = z.object({
  sections: z.array(z.object({ section: z.string(), added: z.int(), refused: z.int() })),
});
