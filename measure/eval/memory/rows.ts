import { readFileSync } from 'node:fs';
import type { Message } from '../../../src/kernel/message.ts';

/** A row of a conversation of LoCoMo. */
export interface LocomoTurn {
  readonly id: string | number;
  readonly message: Message;
  readonly text?: string;
}

/** A question about a conversation, with the ids of the turns that answer it. */
export interface LocomoQuestion {
  readonly id: string;
  readonly conversation: string;
  readonly question: string;
  readonly category: string;
  readonly evidence: readonly (string | number)[];
}

export function rowsOf<Row>(file: string): readonly Row[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}
