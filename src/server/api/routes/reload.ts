import { z } from 'zod';
import type { Reload } from '../../../kernel/ports/reload.ts';
import { byOperator, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';

const reloadSchema = z.strictObject({
  version: z.string().describe('A digest of the settings without secrets, as in `weir_config_info`'),
  changed: z.array(z.string()).describe('The settings with another value, as they are named in the file'),
});

/** Reads the configuration again. */
export function reloadRoutes(reload: Reload): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'POST',
      audit: 'settings.reloaded',
      path: '/v1/admin/reload',
      summary: 'Read the configuration again',
      tag: 'Operations',
      access: byOperator,
      body: noBody,
      responses: {
        200: { description: 'New calls are served with it', schema: reloadSchema },
        400: { description: 'It has faults, which the message lists; nothing has changed' },
        401: { description: 'Missing or wrong operator token' },
        403: { description: 'WEIR_ADMIN_TOKEN is not set' },
      },
      async handle() {
        const { version, changed } = await reload();
        return { body: { version, changed: [...changed] }, audit: { version, changed } };
      },
    }),
  ];
}
