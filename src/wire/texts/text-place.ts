import type { Message } from '../../kernel/message.ts';

/** What a text of a request is part of. */
export type TextField =
  | 'system'
  | 'message'
  | 'thinking'
  /** A string inside of the arguments. */
  | 'tool-arguments'
  | 'tool-result'
  /** The description of a tool, or a text in its schema. */
  | 'tool-description'
  /** Its text, title or context. */
  | 'document'
  /** Addresses, metadata, stop sequences, schemas of answers, fields of one wire format. */
  | 'other';

/** Where a text is in a request. */
export interface TextPlace {
  readonly field: TextField;
  /** The message that it is in, if any. */
  readonly messageIndex?: number;
  readonly role?: Message['role'];
  /** At an endpoint that answers a list of inputs one by one: the input that it is in. */
  readonly inputIndex?: number;
  /** The field that has it as a value, in the arguments of a tool and other data. */
  readonly name?: string;
  /** Whether it is a thought that its provider has signed: if it is changed, the thought is left out. */
  readonly isSigned?: true;
}

export interface RequestText extends TextPlace {
  readonly text: string;
}

/** Returns the text to send; the same text changes nothing. */
export type MapText = (text: string, place: TextPlace) => string;

/** A part of a request that can't be read as text. */
export interface UnscannedPart extends Omit<TextPlace, 'isSigned'> {
  /**
   * `stored` is content at the provider that the request refers to: an earlier response, a cache, a prompt. `tokens` are numbers in
   * place of a text.
   */
  readonly kind: 'image' | 'document' | 'audio' | 'video' | 'file' | 'encrypted' | 'stored' | 'tokens';
}
