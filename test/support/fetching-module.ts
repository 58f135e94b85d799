import { z } from 'zod';
import { defineModule, type ModuleFactory } from '../../src/module-api.ts';

const options = z.strictObject({
  url: z.string(),
  from: z.enum(['kit', 'host', 'background', 'global']).default('kit'),
});

/** Asks a server before each call, or after it. */
export const fetching: ModuleFactory<z.output<typeof options>> = (host) =>
  defineModule({
    api: 1,
    name: 'fetching',
    summary: 'For tests.',
    status: 'preview',
    protective: false,
    ifBroken: 'skip',
    touches: [],
    options,
    async handle(exchange, next, kit) {
      const { url, from } = kit.options;
      if (from === 'background') kit.runInBackground(async () => void (await kit.fetch(url)));
      else {
        const fetches = { kit: kit.fetch, host: host.fetch, global: fetch };
        const answer = await fetches[from](url).catch((error) => error);
        kit.setHeader(
          'fetched',
          answer instanceof Response ? await answer.text() : String(answer.code ?? answer),
        );
      }
      return next(exchange);
    },
  });

export default fetching;
