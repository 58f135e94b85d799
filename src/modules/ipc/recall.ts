import { type GatewayTool, isJsonObject, type Message, type ToolAnswer } from '../../module-api.ts';
import { recallCharsMax } from './limits.ts';
import { renderMessages, searchMessages } from './text/search.ts';

interface RecallSource {
  /** The whole conversation. */
  allMessages(): readonly Message[];
  /** The original messages behind a ref. */
  findByRef(ref: string): readonly Message[] | undefined;
}

/** The tool with which a model reads omitted parts of its own conversation. */
export function recallTool(conversation: RecallSource): GatewayTool {
  return {
    tool: {
      name: 'recall',
      description:
        'Finds what was said or done earlier in this conversation. Older turns are shown shortened: use this when a detail is missing, before asking the user again or repeating work. Give a query, a ref, or both.',
      input_schema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What to look for, in a few words or as a question' },
          ref: {
            type: 'string',
            description: 'The name behind "kept as" where content was left out, to read that content alone',
          },
        },
      },
    },
    answer(input) {
      const [query, ref] = [stringFieldOf(input, 'query'), stringFieldOf(input, 'ref')];
      if (ref !== '') return readByRef(conversation, ref, query);
      if (query === '') return { content: 'query must say what to look for', isError: true };
      const passages = searchMessages(conversation.allMessages(), query, recallCharsMax);
      return passages === '' ? 'Nothing was found. Try other words.' : passages;
    },
  };
}

/** The content behind a ref: the passages that match the query, or else its beginning. */
function readByRef({ findByRef }: RecallSource, ref: string, query: string): ToolAnswer {
  const messages = findByRef(ref);
  if (messages === undefined)
    return {
      content: `Nothing of this conversation is kept as "${ref.slice(0, 40)}". Look for it with a query.`,
      isError: true,
    };
  const passages = query === '' ? '' : searchMessages(messages, query, recallCharsMax);
  return passages === '' ? renderMessages(messages, recallCharsMax) : passages;
}

function stringFieldOf(input: unknown, field: string): string {
  const value = isJsonObject(input) ? input[field] : undefined;
  return typeof value === 'string' ? value.trim() : '';
}
