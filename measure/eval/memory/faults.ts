import type { ChatRequest, Message } from '../../../src/kernel/message.ts';

/** Why a provider would refuse a request: results without calls, calls without results, empty messages, two of a role in a row. */
export function faultsIn({ messages, tools = [], system }: ChatRequest): readonly string[] {
  const faults: string[] = [];
  let open = new Set<string>();
  if (messages[0]?.role === 'assistant') faults.push('an answer comes first');
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message);
    if (blocks.length === 0) faults.push(`message ${at} is empty`);
    if (at > 0 && message.role === messages[at - 1]?.role)
      faults.push(`message ${at} has the role of the one before`);
    for (const block of blocks) {
      if (block.type === 'text' && block.text === '') faults.push(`message ${at} has an empty text`);
      if (block.type === 'tool_result' && !open.delete(block.tool_use_id))
        faults.push(`message ${at} has a result of no call`);
    }
    if (open.size > 0) faults.push(`calls before message ${at} have no result`);
    open = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
  }
  const marked = [
    ...tools,
    ...(typeof system === 'string' ? [] : (system ?? [])),
    ...messages.flatMap(blocksOf),
  ];
  const marks = marked.filter((part) => 'cache_control' in part && part.cache_control != null).length;
  if (marks > 4) faults.push(`${marks} cache markers`);
  return faults;
}

function blocksOf({ content }: Message) {
  return typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
}
