import {
  alternating,
  anything,
  type Check,
  either,
  harmless,
  listOf,
  number,
  objectWith,
  oneOf,
  text,
} from '../plain-request.ts';

const marker = { cache_control: anything };
const said = either(text, listOf(objectWith({ type: oneOf('text'), text }, marker)));
const turn = objectWith({ role: oneOf('user', 'assistant'), content: said });

/** Fields that can't change an answer: whose it is. */
export const bookkeeping: readonly string[] = ['metadata'];

/** Text, functions and the usual settings: the same call in every format. */
export const isPlain: Check = objectWith(
  { model: text, messages: alternating(turn, 'assistant') },
  {
    max_tokens: number,
    system: said,
    temperature: number,
    top_p: number,
    stop_sequences: listOf(text),
    tools: listOf(
      objectWith(
        {
          name: text,
          input_schema: objectWith({ type: oneOf('object') }, { properties: anything, required: anything }),
        },
        { description: text, ...marker },
      ),
    ),
    tool_choice: either(
      objectWith({ type: oneOf('auto', 'any', 'none') }),
      objectWith({ type: oneOf('tool'), name: text }),
    ),
    stream: anything,
    ...marker,
    ...harmless(bookkeeping),
  },
);
