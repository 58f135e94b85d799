import {
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

/** Fields that can't change an answer, such as billing labels. */
export const bookkeeping: readonly string[] = ['labels'];

const textPart = objectWith({ type: oneOf('text'), text });

/** Only one text and common settings: means the same in every format. Storage decides who may receive the answer. */
export const isPlain: Check = objectWith(
  { model: text, input: either(text, textPart, listOf(textPart)) },
  {
    system_instruction: text,
    generation_config: objectWith(
      {},
      { max_output_tokens: number, temperature: number, top_p: number, stop_sequences: listOf(text) },
    ),
    store: oneOf(false),
    stream: anything,
    ...ignoredFields(bookkeeping),
  },
);
