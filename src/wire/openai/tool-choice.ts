import type { ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';

/** A tool choice in OpenAI's formats; `named` writes the choice of one tool, which differs between them. */
export function encodeToolChoice(
  choice: ToolChoice | undefined,
  named: (name: string) => JsonObject,
): JsonObject {
  if (choice == null) return {};
  const one =
    choice.type !== 'none' && choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {};
  switch (choice.type) {
    case 'auto':
      return { tool_choice: 'auto', ...one };
    case 'any':
      return { tool_choice: 'required', ...one };
    case 'none':
      return { tool_choice: 'none' };
    case 'tool':
      return { tool_choice: named(choice.name), ...one };
  }
}
