import type { JsonObject } from '../lib/json.ts';
import type { StandardSchema } from './standard-schema.ts';

/**
 * Named content that accounts and the operator store beside configurations, and that an option of the module lists:
 * `rules=a|b`. It is stored as configurations of `<module>.<option>`.
 */
export interface ModuleDefinitions<Options> {
  /** The option with the names, separated by `|`; configurations may have them as a list. */
  readonly option: string;
  /** Describes the content, for forms and the API reference. */
  readonly schema: StandardSchema<unknown>;
  /** Facts about content, such as its cost. Throws a `GatewayError` for a wrong name or content. */
  describe(name: string, content: JsonObject): JsonObject;
  /**
   * The options with the content of the names that they list. Called once for each pipeline that is compiled. `find` throws
   * for names that don't exist.
   */
  resolve(options: Options, find: (name: string) => JsonObject): Options;
}
