import type { McpToolDefinition } from '../../kernel/ports/mcp.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Parameter } from './parameters.ts';
import type { BodyPlan } from './request-body.ts';

/** An operation of an API as a tool, with what its requests need. */
export interface ApiTool {
  readonly definition: McpToolDefinition;
  /** In capitals. */
  readonly method: string;
  /** The path of the document, with its parameters in braces. */
  readonly path: string;
  readonly baseUrl: URL;
  /** By the names of arguments. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly body: { readonly argument: string; readonly plan: BodyPlan } | undefined;
  /** The security schemes of which this operation accepts one. */
  readonly schemes: readonly string[];
  /** What a JSON response should be, if the tool says so. */
  readonly promised: JsonObject | undefined;
}

/** Methods that are only for reading may be repeated. */
export function isSafeMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
