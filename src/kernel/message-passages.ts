import { splitIntoUnits } from '../lib/passages/units.ts';
import type { Message } from './message.ts';
import { blocksOf, resultText } from './message-blocks.ts';

/** A part of a message that is found, quoted or left out as a whole. */
export interface MessagePassage {
  readonly speaker: 'User' | 'Assistant' | 'Call' | 'Tool';
  readonly text: string;
}

/** The passages of a message: sentences, items and code blocks of texts, and pieces of tool calls and results. */
export function passagesOf(message: Message): readonly MessagePassage[] {
  const speaker = message.role === 'assistant' ? 'Assistant' : 'User';
  return blocksOf(message).flatMap((block): readonly MessagePassage[] => {
    if (block.type === 'text')
      return splitIntoUnits(block.text).map(({ start, end }) => ({
        speaker,
        text: block.text.slice(start, end),
      }));
    if (block.type === 'tool_use')
      return piecesOf(`${block.name} ${JSON.stringify(block.input)}`).map((text) => ({
        speaker: 'Call',
        text,
      }));
    if (block.type !== 'tool_result') return [];
    return piecesOf(resultText(block.content)).map((text) => ({ speaker: 'Tool', text }));
  });
}

/** The length of passages of tool calls and results. */
const pieceChars = 1200;

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    // Only this piece is searched for a line break: a text of one line would be searched from the start each time.
    const stop = at + text.slice(at, at + pieceChars + 1).lastIndexOf('\n');
    const end = text.length - at <= pieceChars ? text.length : stop > at ? stop : at + pieceChars;
    pieces.push(text.slice(at, end));
    at = text[end] === '\n' ? end + 1 : end;
  }
  return pieces;
}
