import { z } from 'zod';

interface CursorPosition {
  readonly atMs: number;
  readonly id: string;
}

/** Places in a list that is in order of time, as clients get them and hand them back. */
export class TimeCursors {
  /** What the names in the list look like. */
  readonly #ids: RegExp;

  constructor(ids: RegExp) {
    this.#ids = ids;
  }

  encode({ atMs, id }: CursorPosition): string {
    return Buffer.from(`${atMs}.${id}`).toString('base64url');
  }

  /** Undefined where the text is none of ours. */
  decode(cursor: string): CursorPosition | undefined {
    const [, time, id = ''] =
      /^(\d{1,15})\.(.*)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
    return time !== undefined && this.#ids.test(id) ? { atMs: Number(time), id } : undefined;
  }

  /** The field of a query by which a client says where its page begins. */
  querySchema(what: string) {
    return z
      .string()
      .refine((text) => this.decode(text) !== undefined, 'must be a cursor from an earlier answer')
      .optional()
      .describe(what);
  }
}
