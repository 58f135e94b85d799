import { type GatewayTool, isJsonObject, type Message, type ToolAnswer } from '../../module-api.ts';
import { recallCharsMax } from './limits.ts';
import { renderMessages, type SearchOptions, searchMessages } from './text/search.ts';

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
          overview: {
            type: 'boolean',
            description:
              'Whether to get short passages from the whole conversation, in order: for summaries, lists, and questions about an order or a change over time',
          },
        },
      },
    },
    async answer(input) {
      const isBroad = isJsonObject(input) && input.overview === true ? { isBroad: true } : {};
      const [query, ref] = [stringFieldOf(input, 'query'), stringFieldOf(input, 'ref')];
      const options = { chars: recallCharsMax, ...isBroad };
      if (ref !== '') return readByRef(conversation, ref, { query, options });
      if (query === '') return { content: 'query must say what to look for', isError: true };
      const passages = await searchMessages(conversation.allMessages(), query, options);
      return passages === '' ? 'Nothing was found. Try other words.' : passages;
    },
  };
}

/** The content behind a ref: the passages that match the query, or else its beginning. */
async function readByRef(
  { findByRef }: RecallSource,
  ref: string,
  { query, options }: { readonly query: string; readonly options: SearchOptions },
): Promise<ToolAnswer> {
  const messages = findByRef(ref);
  if (messages === undefined)
    return {
      content: `Nothing of this conversation is kept as "${ref.slice(0, 40)}". Look for it with a query.`,
      isError: true,
    };
  const passages = query === '' ? '' : await searchMessages(messages, query, options);
  return passages === '' ? renderMessages(messages, recallCharsMax) : passages;
}

function stringFieldOf(input: unknown, field: string): string {
  const value = isJsonObject(input) ? input[field] : undefined;
  return typeof value === 'string' ? value.trim() : '';
}
