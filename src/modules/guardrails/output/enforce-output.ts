import { createContentReplacer, type Reply, type ReplyEvent, type TextMatch } from '../../../module-api.ts';
import type { Finding } from '../finding.ts';
import { limits } from '../limits.ts';
import type { Policy } from '../policy.ts';
import { endOfPrivateKey } from '../recognizers/secrets/private-keys.ts';
import { anonymousPlaceholder } from '../redaction/placeholders.ts';

/**
 * The reply with its findings replaced, and cut before the first one that is blocked. The stream is held back only where a finding may
 * begin. Thoughts are not redacted, since their providers sign them, but a finding in one can stop the reply.
 */
export function enforceOutput(reply: Reply, policy: Policy, onFinding: (finding: Finding) => void): Reply {
  let blocked: Finding | undefined;
  /** Whether the stream is inside of a private key, which is longer than what is held back. */
  let isInKey = false;
  const rewrite = createContentReplacer({
    *find(text, from): Generator<TextMatch> {
      const keyEnd = isInKey ? (endOfPrivateKey(text, from) ?? text.length) : from;
      if (isInKey) {
        yield { start: from, end: keyEnd, replacement: '' };
        isInKey = keyEnd === text.length;
      }
      for (const finding of policy.find(text)) {
        const { start, end, kind } = finding;
        const action = policy.actionFor(kind);
        if (start < keyEnd) continue;
        if (action === 'block') yield { start, end: text.length, replacement: '' };
        else yield { start, end, replacement: replacementOf(text, finding, policy) };
        // The stream has got as far as this finding.
        onFinding(finding);
        isInKey = kind === 'PRIVATE_KEY' && action === 'redact' && end === text.length;
        if (action !== 'block') continue;
        blocked = finding;
        return;
      }
    },
    holdBackChars: limits.heldCharactersMax,
    partialMatchAt: (text) => policy.partialMatchAt(text),
    ...(!policy.mayBlock && { in: ['text', 'tool-input'] }),
  });
  return policy.mayBlock
    ? reply.through((events) => cutReply(events, rewrite, () => blocked !== undefined))
    : reply.map(rewrite);
}

function replacementOf(text: string, { start, end, kind }: Finding, policy: Policy): string {
  if (policy.actionFor(kind) !== 'redact') return text.slice(start, end);
  return policy.replacementFor(kind) ?? anonymousPlaceholder(kind);
}

/** Ends the reply as a refusal once it is blocked. A tool call is passed on when it is complete, so that no client runs half of one. */
async function* cutReply(
  events: AsyncIterable<ReplyEvent>,
  rewrite: (event: ReplyEvent) => ReplyEvent | readonly ReplyEvent[],
  isBlocked: () => boolean,
): AsyncGenerator<ReplyEvent> {
  const open = new Set<number>();
  /** Tool calls that are not complete. */
  const toolCalls = new Map<number, ReplyEvent[]>();
  for await (const event of events) {
    const rewritten = [rewrite(event)].flat();
    if (isBlocked()) {
      // What follows the finding is gone, and so is the end of the block.
      for (const one of rewritten) if (one.type === 'content_block_delta' && open.has(one.index)) yield one;
      yield* endRefused(open);
      return;
    }
    if (event.type === 'content_block_start' && event.content_block.type === 'tool_use')
      toolCalls.set(event.index, []);
    else if (event.type === 'content_block_start') open.add(event.index);
    const toolCall = 'index' in event ? toolCalls.get(event.index) : undefined;
    toolCall?.push(...rewritten);
    if (event.type === 'content_block_stop') {
      open.delete(event.index);
      toolCalls.delete(event.index);
    } else if (toolCall !== undefined) {
      continue;
    }
    yield* toolCall ?? rewritten;
  }
}

function* endRefused(open: ReadonlySet<number>): Generator<ReplyEvent> {
  for (const index of open) yield { type: 'content_block_stop', index };
  yield { type: 'message_delta', delta: { stop_reason: 'refusal', stop_sequence: null } };
  yield { type: 'message_stop' };
}
