import { hash } from 'node:crypto';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type McpTool,
  type McpToolDefinition,
  type Tool,
} from '../../module-api.ts';
import { limits } from './limits.ts';
import { requestNameOf } from './tool-names.ts';

/** A tool of a server as the model sees it, in a list that stays the same for a whole conversation. */
export interface ListedTool {
  /** Its name in the request. */
  readonly name: string;
  /** `<server>__<tool>`, its name at the gateway. */
  readonly gatewayName: string;
  readonly server: string;
  /** Of its definition, which approvals are bound to. */
  readonly digest: string;
  readonly isReadOnly: boolean;
  /** The person whose own authorization its calls use; null if all callers share one. */
  readonly personId: string | null;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** Undefined for a definition that is too large for a request. */
export function listedToolOf(tool: McpTool): ListedTool | undefined {
  const { definition } = tool;
  const { description = '', inputSchema } = definition;
  if (description.length + JSON.stringify(inputSchema).length > limits.definitionCharactersMax)
    return undefined;
  return {
    name: requestNameOf(tool.name),
    gatewayName: tool.name,
    server: tool.server,
    digest: digestOfDefinition(definition),
    isReadOnly: isReadOnly(definition),
    personId: tool.personId,
    description,
    inputSchema,
  };
}

/** A digest of all that a model reads of a tool, and of what approvals rely on. */
function digestOfDefinition({ name, description, inputSchema, annotations }: McpToolDefinition): string {
  return hash(
    'sha256',
    canonicalJson([name, description ?? '', inputSchema, annotations ?? {}]),
    'base64url',
  );
}

/** What the server says of it: nobody checks that. */
function isReadOnly({ annotations = {} }: McpToolDefinition): boolean {
  return annotations.readOnlyHint === true && annotations.destructiveHint !== true;
}

/** The same object in all calls, so that its digest is computed once. */
const requestTools = new WeakMap<ListedTool, Tool>();

export function memoizeRequestTool(listed: ListedTool): Tool {
  const known = requestTools.get(listed) ?? requestToolOf(listed);
  requestTools.set(listed, known);
  return known;
}

function requestToolOf({ name, description, inputSchema }: ListedTool): Tool {
  // Providers reject schemas that are no objects, and some reject the name of a dialect.
  const { $schema: _, ...schema } = inputSchema;
  return { name, description, input_schema: { type: 'object', properties: {}, ...schema } };
}

/** Reads a stored list. */
export function parseListedTools(stored: unknown): readonly ListedTool[] | undefined {
  return Array.isArray(stored) && stored.every(isListedTool) ? stored : undefined;
}

function isListedTool(stored: unknown): stored is ListedTool {
  return isJsonObject(stored) && typeof stored.name === 'string' && isJsonObject(stored.inputSchema);
}
