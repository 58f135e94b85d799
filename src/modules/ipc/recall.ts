import { type AnsweredTool, isJsonObject, type Message } from '../../module-api.ts';
import { recalledChars } from './limits.ts';
import { found } from './text/search.ts';

/** The tool by which a model reads again what was left out of its conversation, and of no other. */
export function recallTool(whole: () => readonly Message[]): AnsweredTool {
  return {
    tool: {
      name: 'recall',
      description:
        'Finds what was said or done earlier in this conversation. Older turns are shown shortened: use this when a detail is missing, before asking the user again or repeating work.',
      input_schema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What to look for, in a few words or as a question' },
        },
        required: ['query'],
      },
    },
    answer(input) {
      const query = isJsonObject(input) && typeof input.query === 'string' ? input.query.trim() : '';
      if (query === '') return { content: 'query must say what to look for', isError: true };
      const passages = found(whole(), query, recalledChars);
      return passages === '' ? 'Nothing was found. Try other words.' : passages;
    },
  };
}
