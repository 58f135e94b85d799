import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { jsonObjectIn } from '../../lib/json.ts';
import { envVariable } from '../../lib/settings.ts';
import { InstanceServers, instanceServersDocument, readInstanceServers } from './instance-servers.ts';

/** Settings of MCP servers. */
export const mcpSettings = {
  /** The operator's servers, as JSON or in a file. */
  mcpServers: envVariable(
    'WEIR_MCP_SERVERS',
    z
      .string()
      .min(1)
      .default('{}')
      .transform((setting, context): InstanceServers => {
        const document = readDocument(setting);
        if (document === undefined) {
          context.addIssue('must be a JSON object, or the path of a file with one');
          return z.NEVER;
        }
        const servers = readInstanceServers(document, (path, message) =>
          context.addIssue({ code: 'custom', path: [...path], message }),
        );
        return new InstanceServers(servers);
      }),
    { at: 'mcp_servers', form: 'document', document: instanceServersDocument, isSecret: true },
  ),
} as const;

function readDocument(setting: string) {
  try {
    return jsonObjectIn(setting.trimStart().startsWith('{') ? setting : readFileSync(setting));
  } catch {
    return undefined;
  }
}
