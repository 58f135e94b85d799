import type { RejectableField } from '../../kernel/acceptance.ts';
import type { Block, Message } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { mapItems } from '../../lib/map-items.ts';

/** What a version of the API rejects, whatever the model. */
export interface VersionRules {
  readonly rejects: readonly RejectableField[];
  /** Whether documents of assistants and citations of users are rejected. */
  readonly rejectsMisplacedContent: boolean;
}

/** The version of requests that the gateway writes itself: the last one with sampling parameters. */
export const ownVersion = '2023-06-01';

/** By version, the newest first (https://platform.claude.com/docs/en/api/versioning). */
const rulesByVersion: readonly (readonly [version: string, rules: VersionRules])[] = [
  ['2026-10-21', { rejects: ['temperature', 'top_p', 'top_k'], rejectsMisplacedContent: true }],
  ['2023-01-01', { rejects: [], rejectsMisplacedContent: false }],
];

const noRules: VersionRules = { rejects: [], rejectsMisplacedContent: false };

/** Versions are dates: a later one is assumed to keep the rules of the newest one known here. */
export function rulesOfVersion(version = ownVersion): VersionRules {
  return rulesByVersion.find(([since]) => version >= since)?.[1] ?? noRules;
}

/** The messages without content that the version rejects; the same list if there is none. */
export function withAcceptedContent(
  messages: readonly Message[],
  { rejectsMisplacedContent }: VersionRules,
  dropped: Set<string>,
): readonly Message[] {
  if (!rejectsMisplacedContent) return messages;
  return messages.flatMap((message) => {
    const { role, content } = message;
    if (typeof content === 'string' || content.length === 0) return [message];
    const accepted = content.flatMap((block) => acceptedBlocks(role, block, dropped));
    if (accepted.length === content.length && accepted.every((block, at) => block === content[at]))
      return [message];
    return accepted.length === 0 ? [] : [{ ...message, content: accepted }];
  });
}

function acceptedBlocks(role: string, block: Block, dropped: Set<string>): readonly Block[] {
  if (role === 'assistant' && block.type === 'document') {
    dropped.add('messages[].content[].document');
    return [];
  }
  return role === 'user' ? [withoutCitations(block, dropped)] : [block];
}

/** A text without citations, or a search result whose texts have none. */
function withoutCitations(block: Block, dropped: Set<string>): Block {
  const { type, content } = { content: undefined, ...block } as JsonObject;
  if (type === 'text') return withoutOwnCitations(block, dropped);
  if (type !== 'search_result' || !Array.isArray(content)) return block;
  const texts = mapItems(content, (part: unknown) =>
    isJsonObject(part) ? withoutOwnCitations(part, dropped) : part,
  );
  return texts === content ? block : Object.assign({}, block, { content: texts });
}

function withoutOwnCitations<Text extends object>(text: Text, dropped: Set<string>): Text {
  if (!('citations' in text) || !Array.isArray(text.citations) || text.citations.length === 0) return text;
  dropped.add('messages[].content[].citations');
  const { citations: _, ...rest } = text;
  const plain: unknown = rest;
  return plain as Text;
}
