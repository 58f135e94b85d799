import { z } from 'zod';
import { defineModuleRoute, GatewayError, type ModuleHost, type ModuleRoute } from '../../module-api.ts';
import { approveHeld, listHeld } from './known-definitions.ts';

const heldTool = z.strictObject({
  tool: z.string().describe('Its name at the gateway: `<server>__<tool>`'),
  server: z.string(),
  digest: z.string().describe('Of the changed definition, which an approval is bound to'),
  description: z.string().describe('Its changed description, by the server, shortened'),
  description_before: z.string(),
  since: z.iso.datetime().describe('When the change was first seen'),
});

/** Changed definitions of tools that wait for a person. */
export function approvalRoutes(host: Pick<ModuleHost, 'store'>): readonly ModuleRoute[] {
  return [
    defineModuleRoute({
      method: 'GET',
      path: '/v1/modules/mcp/held-tools',
      summary: 'List tools of MCP servers with a changed definition',
      tag: 'MCP',
      access: 'sessionOrKey',
      responses: {
        200: {
          description: 'The tools that the module `mcp` withholds until their changed definition is approved',
          schema: z.strictObject({ tools: z.array(heldTool) }),
        },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ scope }) {
        const held = await listHeld(host.store(scope));
        const tools = held.map(({ sinceMs, descriptionBefore, ...tool }) => ({
          ...tool,
          description_before: descriptionBefore,
          since: new Date(sinceMs).toISOString(),
        }));
        return { body: { tools } };
      },
    }),
    defineModuleRoute({
      method: 'POST',
      path: '/v1/modules/mcp/held-tools/:tool/:digest',
      summary: 'Approve a changed definition of a tool',
      tag: 'MCP',
      access: 'person',
      responses: {
        200: {
          description: 'Approved: new conversations have the changed tool',
          schema: z.strictObject({ approved: z.literal(true) }),
        },
        401: { description: 'Missing or invalid session; API keys are not accepted' },
        404: { description: 'The tool has no such changed definition; it may have changed once more' },
      },
      async handle({ scope, parameters: { tool = '', digest = '' } }) {
        if (await approveHeld(host.store(scope), { tool, digest })) return { body: { approved: true } };
        throw new GatewayError(
          'not_found',
          'this tool has no such changed definition; GET /v1/modules/mcp/held-tools lists those that wait',
        );
      },
    }),
  ];
}
