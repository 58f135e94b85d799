import {
  alternatingTurns,
  anything,
  type Check,
  either,
  ignoredFields,
  listOf,
  number,
  objectWith,
  oneOf,
  text,
} from '../plain-request.ts';

const cacheMarker = { cache_control: anything };
const textContent = either(text, listOf(objectWith({ type: oneOf('text'), text }, cacheMarker)));
const turn = objectWith({ role: oneOf('user', 'assistant'), content: textContent });

/** Fields that can't change an answer, such as the user id. */
export const bookkeeping: readonly string[] = ['metadata'];

/** Only text, functions and common settings: means the same in every format. */
export const isPlain: Check = objectWith(
  { model: text, messages: alternatingTurns(turn, 'assistant') },
  {
    max_tokens: number,
    system: textContent,
    temperature: number,
    top_p: number,
    stop_sequences: listOf(text),
    tools: listOf(
      objectWith(
        {
          name: text,
          input_schema: objectWith({ type: oneOf('object') }, { properties: anything, required: anything }),
        },
        { description: text, ...cacheMarker },
      ),
    ),
    tool_choice: either(
      objectWith({ type: oneOf('auto', 'any', 'none') }),
      objectWith({ type: oneOf('tool'), name: text }),
    ),
    stream: anything,
    ...cacheMarker,
    ...ignoredFields(bookkeeping),
  },
);
