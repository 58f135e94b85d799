import type { GatewayTool, ToolAnswer } from '../../module-api.ts';
import { approvalOf, isCacheable } from './approval.ts';
import type { ApprovalRequest, ClientApprovals } from './client-approvals.ts';
import { limits } from './limits.ts';
import { type ListedTool, memoizeRequestTool } from './listed-tool.ts';
import type { McpOptions } from './options.ts';
import type { ResultContent } from './result-content.ts';
import type { ToolCalls } from './tool-calls.ts';

interface OfferedToolsParts {
  /** Those of the conversation. */
  readonly tools: readonly ListedTool[];
  readonly current: { readonly tools: readonly ListedTool[]; readonly unavailable: readonly string[] };
  readonly calls: ToolCalls;
  readonly approvals: Pick<ClientApprovals, 'ask'>;
  readonly options: McpOptions;
}

/** The tools that a model sees in a call. Some may be gone since the conversation began: these answer with an error. */
export class OfferedTools {
  readonly #parts: OfferedToolsParts;
  readonly #current: ReadonlyMap<string, ListedTool>;

  constructor(parts: OfferedToolsParts) {
    this.#parts = parts;
    this.#current = new Map(parts.current.tools.map((tool) => [tool.gatewayName, tool]));
  }

  gatewayTools(): readonly GatewayTool[] {
    const { tools, options, approvals } = this.#parts;
    return tools.map((listed): GatewayTool => {
      const usable = this.#usable(listed);
      const canRepeat = usable !== undefined && isCacheable(usable, options);
      return {
        tool: memoizeRequestTool(listed),
        timeoutMs: options.total_seconds * 1000 + limits.timeoutGraceMs,
        isOutside: options.values === 'placeholders',
        ...(canRepeat && { cache: this.#planOf(usable) }),
        answer: async (input, { id }): Promise<ToolAnswer> => {
          if (usable === undefined) return unusable(listed);
          if (approvalOf(usable, options) === 'ask') return approvals.ask(id, usable, input);
          return this.#parts.calls.call(usable, input);
        },
      };
    });
  }

  /** Runs what the client was asked about, if it is still the same. */
  async runApproved({ tool: name, digest, input }: ApprovalRequest): Promise<ResultContent> {
    const tool = this.#current.get(name);
    const isSame = tool !== undefined && tool.digest === digest;
    if (!isSame || approvalOf(tool, this.#parts.options) === 'refuse') return unusable({ gatewayName: name });
    return this.#parts.calls.call(tool, input);
  }

  /** The tool as it is now. One that is missing because its server is away may be back when it is called. */
  #usable(listed: ListedTool): ListedTool | undefined {
    const { current, options } = this.#parts;
    const now = this.#current.get(listed.gatewayName);
    if (now !== undefined) return now;
    const isAway = current.unavailable.includes(listed.server);
    return isAway && approvalOf(listed, options) !== 'refuse' ? listed : undefined;
  }

  /** Any tool of the server that may change something makes its answers invalid. */
  #planOf({ server, personId }: ListedTool): NonNullable<GatewayTool['cache']> {
    const changing = this.#parts.tools.filter((other) => other.server === server && !other.isReadOnly);
    return {
      seconds: limits.cachedAnswerSeconds,
      scope: 'account',
      ...(personId !== null && { subject: personId }),
      invalidatedBy: changing.map(({ name }) => name),
    };
  }
}

function unusable({ gatewayName }: Pick<ListedTool, 'gatewayName'>): ResultContent {
  return {
    content: `${gatewayName} is no longer available: its server has removed or changed it, or its use is no longer allowed.`,
    isError: true,
  };
}
